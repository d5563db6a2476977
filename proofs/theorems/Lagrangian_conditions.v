(* The minimum (7) of the lower bound, its conditions (8) and (9), and the closed form (10), for every number of pages.

   Page i has a_i = c_i / (mu_i E X) > 0 and kappa_i = - ln h_i > 0. Up to the constant sum of the c_i, the
   objective of (7) is the sum of the a_i (x_i h_i^(1/x_i) - x_i), over x >= 0 with sum 1. *)
From Proofs.library Require Import Calculus Sums.

(* One summand; exp (- kappa / x) is h^(1/x). At x = 0 the factor x makes it 0, as the limit does. *)
Definition page_loss (a kappa x : R) : R := a * (x * exp (- kappa / x) - x).
Definition objective (N : nat) (a kappa x : nat -> R) : R := sum N (fun i => page_loss (a i) (kappa i) (x i)).
Definition feasible (N : nat) (x : nat -> R) : Prop := (forall i, (i < N)%nat -> 0 <= x i) /\ sum N x = 1.
Definition solves_7 (N : nat) (a kappa x : nat -> R) : Prop :=
  feasible N x /\ forall y, feasible N y -> objective N a kappa x <= objective N a kappa y.

(* The marginal gain of a page at frequency x: 1 - h^(1/x) + (ln h / x) h^(1/x), with ln h = - kappa. *)
Definition marginal (kappa x : R) : R := 1 - exp (- kappa / x) + (- kappa / x) * exp (- kappa / x).

(* (8): the derivative of the Lagrangian in x_i is - a_i marginal + lambda. *)
Theorem condition_8 : forall a kappa lambda x : R, 0 < x ->
  is_derive (fun x => page_loss a kappa x + lambda * x) x (- a * marginal kappa x + lambda).
Proof. intros a kappa lambda x Hx. unfold page_loss, marginal, Rdiv. auto_derive; [lra|]. field. lra. Qed.
Print Assumptions condition_8.

Lemma marginal_below_1 kappa x : 0 < kappa -> 0 < x -> 0 < marginal kappa x < 1.
Proof.
  intros Hk Hx. unfold marginal. set (t := kappa / x).
  assert (Ht : 0 < t) by (apply Rdiv_lt_0_compat; lra).
  replace (- kappa / x) with (- t) by (unfold t; field; lra).
  pose proof (exp_pos (- t)). split; [|nra].
  assert (L : 1 + t < exp t) by (apply exp_ineq1; lra).
  assert (Z : exp (- t) * exp t = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). nra.
Qed.

(* Strict convexity: the summand lies above its tangents, and meets one only where it touches. *)
Lemma page_loss_tangent a kappa x y : 0 < a -> 0 < kappa -> 0 < x -> 0 <= y ->
  page_loss a kappa x - a * marginal kappa x * (y - x) <= page_loss a kappa y /\
  (page_loss a kappa x - a * marginal kappa x * (y - x) = page_loss a kappa y -> y = x).
Proof.
  intros Ha Hk Hx Hy. unfold page_loss, marginal. set (e := exp (- kappa / x)).
  assert (He : 0 < e) by apply exp_pos.
  destruct (Req_dec y 0) as [-> |Hy0].
  { assert (T : 0 < kappa / x) by (apply Rdiv_lt_0_compat; lra).
    assert (X : - kappa / x * x = - kappa) by (field; lra).
    assert (G : 0 < a * kappa * e) by (apply Rmult_lt_0_compat; [nra | lra]).
    replace (a * (x * e - x) - a * (1 - e + - kappa / x * e) * (0 - x)) with (a * (- kappa / x * x) * e) by ring.
    rewrite X. split; intros; nra. }
  set (t := kappa / x - kappa / y).
  assert (Ey : exp (- kappa / y) = e * exp t) by (unfold e, t; rewrite <- exp_plus; f_equal; field; lra).
  rewrite Ey.
  assert (Id : a * (x * e - x) - a * (1 - e + - kappa / x * e) * (y - x) = a * (y * (e * (1 + t)) - y)).
  { unfold t. field. lra. }
  rewrite Id. pose proof (exp_tangent t) as T.
  assert (P : 0 < a * y * e) by (repeat apply Rmult_lt_0_compat; lra).
  split; [nra|]. intros Eq.
  assert (Z : exp t = 1 + t) by nra. apply exp_tangent_eq in Z. unfold t in Z.
  assert (K : kappa * (y - x) = 0) by (replace (kappa * (y - x)) with ((kappa / x - kappa / y) * (x * y)) by (field; lra); rewrite Z; ring).
  nra.
Qed.

(* A page without accesses: its marginal gain at 0+ is a. *)
Lemma page_loss_dropped a kappa y : 0 < a -> 0 < kappa -> 0 <= y ->
  - a * y <= page_loss a kappa y /\ (- a * y = page_loss a kappa y -> y = 0).
Proof.
  intros Ha Hk Hy. unfold page_loss. pose proof (exp_pos (- kappa / y)).
  split; [|intros Eq; destruct (Req_dec y 0); [assumption|]];
  assert (0 <= a * (y * exp (- kappa / y))) by (repeat apply Rmult_le_pos; lra); [nra|].
  assert (0 < a * (y * exp (- kappa / y))) by (repeat apply Rmult_lt_0_compat; lra). nra.
Qed.

Definition kkt (N : nat) (a kappa x : nat -> R) (lambda : R) : Prop := forall i, (i < N)%nat ->
  (0 < x i -> a i * marginal (kappa i) (x i) = lambda) /\ (x i = 0 -> a i <= lambda).

Lemma page_by_price a kappa x lambda y : 0 < a -> 0 < kappa -> 0 <= x -> 0 <= y ->
  (0 < x -> a * marginal kappa x = lambda) -> (x = 0 -> a <= lambda) ->
  page_loss a kappa x + lambda * x <= page_loss a kappa y + lambda * y /\
  (page_loss a kappa x + lambda * x = page_loss a kappa y + lambda * y -> x = y).
Proof.
  intros Ha Hk Hx Hy Hp H0. destruct (Req_dec x 0) as [-> |Hn].
  - specialize (H0 eq_refl). destruct (page_loss_dropped a kappa y Ha Hk Hy) as [L Q].
    replace (page_loss a kappa 0) with 0 by (unfold page_loss; ring).
    assert (0 <= (lambda - a) * y) by (apply Rmult_le_pos; lra). split; [nra|]. intros Eq. symmetry. apply Q. nra.
  - assert (Px : 0 < x) by lra. specialize (Hp Px).
    destruct (page_loss_tangent a kappa x y Ha Hk Px Hy) as [L Q]. rewrite Hp in L, Q.
    split; [nra|]. intros Eq. symmetry. apply Q. nra.
Qed.

Lemma kkt_sufficient N a kappa x lambda : (forall i, (i < N)%nat -> 0 < a i /\ 0 < kappa i) -> feasible N x ->
  kkt N a kappa x lambda -> forall y, feasible N y -> objective N a kappa x <= objective N a kappa y /\
  (objective N a kappa x = objective N a kappa y -> forall i, (i < N)%nat -> x i = y i).
Proof.
  intros Hak [Hx Sx] K y [Hy Sy].
  assert (P : forall i, (i < N)%nat ->
    1 * page_loss (a i) (kappa i) (x i) + lambda * x i <= 1 * page_loss (a i) (kappa i) (y i) + lambda * y i).
  { intros i Hi. destruct (Hak i Hi), (K i Hi). rewrite !Rmult_1_l. now apply page_by_price; auto. }
  pose proof (sum_monotone N _ _ P) as L. rewrite !(sum_linear N 1 lambda), Sx, Sy in L.
  unfold objective. split; [lra|]. intros Eq i Hi. destruct (Hak i Hi), (K i Hi).
  apply (page_by_price (a i) (kappa i) (x i) lambda (y i)); auto.
  rewrite <- (Rmult_1_l (page_loss _ _ (x i))), <- (Rmult_1_l (page_loss _ _ (y i))).
  apply (sum_equal_only N _ _ P); [|exact Hi]. rewrite !(sum_linear N 1 lambda), Sx, Sy. lra.
Qed.

(* ---- the closed form (10), for weights proportional to the rates: all a_i are c_0 / E X *)
Definition at_10 (N : nat) (kappa : nat -> R) (i : nat) : R := kappa i / sum N kappa.

Lemma at_10_positive N kappa : (0 < N)%nat -> (forall i, (i < N)%nat -> 0 < kappa i) ->
  0 < sum N kappa /\ feasible N (at_10 N kappa) /\ forall i, (i < N)%nat -> 0 < at_10 N kappa i.
Proof.
  intros HN Hk. assert (Q : 0 < sum N kappa) by now apply sum_pos.
  assert (P : forall i, (i < N)%nat -> 0 < at_10 N kappa i) by (intros i Hi; apply Rdiv_lt_0_compat; auto).
  split; [exact Q|]. split; [split|]; [intros; left; auto | | exact P].
  rewrite (sum_same N _ (fun i => / sum N kappa * kappa i)) by (intros; unfold at_10, Rdiv; ring).
  rewrite sum_scale. field. lra.
Qed.

(* (10) satisfies (8) and (9) with lambda = a (1 - (1 + Q) exp(-Q)), Q = sum of the kappa_i; it is the one solution
   of (7), x >= 0 included; and (7) has there the value a (exp(-Q) - 1), that is a (product of the h_i - 1). *)
Theorem lagrangian_conditions_closed_form : forall (N : nat) (a : R) (kappa : nat -> R),
  (0 < N)%nat -> 0 < a -> (forall i, (i < N)%nat -> 0 < kappa i) ->
  let x := at_10 N kappa in let Q := sum N kappa in
  feasible N x /\ (forall i, (i < N)%nat -> 0 < x i) /\
  (forall i, (i < N)%nat -> a * marginal (kappa i) (x i) = a * (1 - (1 + Q) * exp (- Q))) /\
  objective N (fun _ => a) kappa x = a * (product N (fun i => exp (- kappa i)) - 1) /\
  (forall y, feasible N y -> objective N (fun _ => a) kappa x <= objective N (fun _ => a) kappa y) /\
  (forall y, feasible N y -> objective N (fun _ => a) kappa y = objective N (fun _ => a) kappa x ->
     forall i, (i < N)%nat -> y i = x i).
Proof.
  intros N a kappa HN Ha Hk x Q. destruct (at_10_positive N kappa HN Hk) as (HQ & F & P). fold x Q in HQ, F, P.
  assert (T : forall i, (i < N)%nat -> - kappa i / x i = - Q).
  { intros i Hi. specialize (Hk i Hi). unfold x, at_10. fold Q. field. lra. }
  assert (M : forall i, (i < N)%nat -> a * marginal (kappa i) (x i) = a * (1 - (1 + Q) * exp (- Q))).
  { intros i Hi. unfold marginal. rewrite T by exact Hi. ring. }
  assert (K : kkt N (fun _ => a) kappa x (a * (1 - (1 + Q) * exp (- Q)))).
  { intros i Hi. split; [intros _; now apply M|]. intros Z. specialize (P i Hi). lra. }
  assert (S : forall y, feasible N y -> objective N (fun _ => a) kappa x <= objective N (fun _ => a) kappa y /\
    (objective N (fun _ => a) kappa x = objective N (fun _ => a) kappa y -> forall i, (i < N)%nat -> x i = y i)).
  { now apply kkt_sufficient with (a * (1 - (1 + Q) * exp (- Q))); auto. }
  repeat split; auto; try apply F; try (intros y Fy; now apply S).
  - unfold objective. rewrite (sum_same N _ (fun i => a * (exp (- Q) - 1) * x i)).
    + rewrite sum_scale, (proj2 F), product_exp. rewrite (sum_same N _ (fun i => (-1) * kappa i)) by (intros; ring).
      rewrite sum_scale. fold Q. replace (-1 * Q) with (- Q) by ring. ring.
    + intros i Hi. unfold page_loss. rewrite T by exact Hi. ring.
  - intros y Fy Eq i Hi. symmetry. apply (proj2 (S y Fy)); auto.
Qed.
Print Assumptions lagrangian_conditions_closed_form.

(* ---- general weights: the conditions that are necessary and sufficient *)
Definition moved (x : nat -> R) (i j : nat) (e : R) (k : nat) : R :=
  if Nat.eq_dec k i then x k - e else if Nat.eq_dec k j then x k + e else x k.

Lemma sum_moved N (F : nat -> R -> R) x i j e : i <> j -> (i < N)%nat -> (j < N)%nat ->
  sum N (fun k => F k (moved x i j e k))
  = sum N (fun k => F k (x k)) + (F i (x i - e) - F i (x i)) + (F j (x j + e) - F j (x j)).
Proof.
  intros Hij Hi Hj.
  assert (G : forall n, sum n (fun k => F k (moved x i j e k)) = sum n (fun k => F k (x k))
    + (if le_lt_dec n i then 0 else F i (x i - e) - F i (x i)) + (if le_lt_dec n j then 0 else F j (x j + e) - F j (x j))).
  { induction n as [|n IH]; cbn [sum]; [destruct (le_lt_dec 0 i), (le_lt_dec 0 j); try lia; ring|].
    rewrite IH. unfold moved.
    destruct (Nat.eq_dec n i), (Nat.eq_dec n j); subst; try congruence;
    repeat match goal with |- context [le_lt_dec ?p ?q] => destruct (le_lt_dec p q); try lia end;
    repeat match goal with |- context [Nat.eq_dec ?p ?q] => destruct (Nat.eq_dec p q); try lia end; ring. }
  rewrite G. destruct (le_lt_dec N i), (le_lt_dec N j); try lia. ring.
Qed.

(* If a differentiable function of e >= 0 is nowhere below its start, its derivative there is not negative. *)
Lemma derivative_at_minimum (f : R -> R) (l b : R) : 0 < b -> is_derive f 0 l ->
  (forall e, 0 < e < b -> f 0 <= f e) -> 0 <= l.
Proof.
  intros Hb D H. apply Rnot_lt_le. intros Hl. apply is_derive_Reals in D.
  destruct (D (- l / 2)) as [d Hd]; [lra|].
  set (e := Rmin (d / 2) (b / 2)). pose proof (cond_pos d).
  assert (He : 0 < e) by (unfold e; apply Rmin_pos; lra).
  assert (e <= d / 2) by apply Rmin_l. assert (e <= b / 2) by apply Rmin_r.
  specialize (Hd e). rewrite Rplus_0_l in Hd. assert (N0 : e <> 0) by lra.
  assert (Ae : Rabs e < d) by (rewrite Rabs_right; lra). specialize (Hd N0 Ae).
  apply Rabs_def2 in Hd. destruct Hd as [Hd _]. assert (Hh : f 0 <= f e) by (apply H; lra).
  assert (0 <= (f e - f 0) / e) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]). lra.
Qed.

Lemma page_loss_derive a kappa x : 0 < x -> is_derive (page_loss a kappa) x (- a * marginal kappa x).
Proof. intros Hx. unfold page_loss, marginal, Rdiv. auto_derive; [lra|]. field. lra. Qed.

(* Moving accesses from page i to page j does not help a solution. *)
Lemma no_better_move N a kappa x i j : (forall i, (i < N)%nat -> 0 < a i /\ 0 < kappa i) -> solves_7 N a kappa x ->
  (i < N)%nat -> (j < N)%nat -> i <> j -> 0 < x i -> 0 < x j ->
  a j * marginal (kappa j) (x j) <= a i * marginal (kappa i) (x i).
Proof.
  intros Hak [[Hx Sx] Best] Hi Hj Hij Pi Pj.
  set (f := fun e => page_loss (a i) (kappa i) (x i - e) + page_loss (a j) (kappa j) (x j + e)).
  assert (0 <= a i * marginal (kappa i) (x i) - a j * marginal (kappa j) (x j)); [|lra].
  apply (derivative_at_minimum f _ (x i) Pi).
  - unfold f, page_loss, marginal, Rdiv. auto_derive; [split; lra|].
    replace (x i + - 0) with (x i) by ring. replace (x j + 0) with (x j) by ring. field. lra.
  - intros e He.
    assert (F : feasible N (moved x i j e)).
    { split.
      - intros k Hk. unfold moved. specialize (Hx k Hk). destruct (Nat.eq_dec k i); [subst; lra|]. destruct (Nat.eq_dec k j); lra.
      - change (sum N (fun k => moved x i j e k) = 1). rewrite (sum_moved N (fun _ y => y) x i j e Hij Hi Hj). change (sum N (fun k => x k)) with (sum N x). lra. }
    specialize (Best _ F). unfold objective in Best.
    rewrite (sum_moved N (fun k y => page_loss (a k) (kappa k) y) x i j e Hij Hi Hj) in Best.
    unfold f. rewrite Rminus_0_r, Rplus_0_r. lra.
Qed.

(* A dropped page is worth no more than the price: y accesses would gain a (1 - exp(-kappa/y)) y. *)
Lemma no_better_entry N a kappa x i j : (forall i, (i < N)%nat -> 0 < a i /\ 0 < kappa i) -> solves_7 N a kappa x ->
  (i < N)%nat -> (j < N)%nat -> 0 < x i -> x j = 0 -> a j <= a i * marginal (kappa i) (x i).
Proof.
  intros Hak [[Hx Sx] Best] Hi Hj Pi Zj.
  assert (Hij : i <> j) by (intros ->; lra). destruct (Hak i Hi) as [Ai Ki], (Hak j Hj) as [Aj Kj].
  set (m := a i * marginal (kappa i) (x i)). apply Rnot_lt_le. intros Hm.
  (* the gain of a small move is a_j - m up to terms that vanish: exp (- kappa / e) <= e / kappa *)
  set (f := fun e => page_loss (a i) (kappa i) (x i - e) - a j * e + a j * (e * e / kappa j)).
  assert (0 <= m - a j); [|lra].
  apply (derivative_at_minimum f _ (x i) Pi).
  - unfold f, m, page_loss, marginal, Rdiv. auto_derive; [lra|].
    replace (x i + - 0) with (x i) by ring. field. split; lra.
  - intros e He.
    assert (F : feasible N (moved x i j e)).
    { split.
      - intros k Hk. unfold moved. specialize (Hx k Hk). destruct (Nat.eq_dec k i); [subst; lra|]. destruct (Nat.eq_dec k j); lra.
      - change (sum N (fun k => moved x i j e k) = 1). rewrite (sum_moved N (fun _ y => y) x i j e Hij Hi Hj). change (sum N (fun k => x k)) with (sum N x). lra. }
    specialize (Best _ F). unfold objective in Best.
    rewrite (sum_moved N (fun k y => page_loss (a k) (kappa k) y) x i j e Hij Hi Hj) in Best.
    rewrite Zj, Rplus_0_l in Best. replace (page_loss (a j) (kappa j) 0) with 0 in Best by (unfold page_loss; ring).
    assert (S : exp (- kappa j / e) <= e / kappa j).
    { assert (U : 0 < kappa j / e) by (apply Rdiv_lt_0_compat; lra).
      pose proof (exp_tangent (kappa j / e)) as T.
      replace (- kappa j / e) with (- (kappa j / e)) by (field; lra). rewrite exp_Ropp.
      replace (e / kappa j) with (/ (kappa j / e)) by (field; lra). apply Rinv_le_contravar; lra. }
    assert (W : page_loss (a j) (kappa j) e <= - a j * e + a j * (e * e / kappa j)).
    { unfold page_loss. assert (e * exp (- kappa j / e) <= e * (e / kappa j)) by (apply Rmult_le_compat_l; lra).
      replace (e * e / kappa j) with (e * (e / kappa j)) by (field; lra). nra. }
    unfold f. rewrite Rminus_0_r. replace (a j * (0 * 0 / kappa j)) with 0 by (field; lra). lra.
Qed.

Lemma some_page_accessed N x : feasible N x -> exists i, (i < N)%nat /\ 0 < x i.
Proof.
  intros [Hx Sx]. assert (G : forall n, (forall i, (i < n)%nat -> 0 <= x i) -> 0 < sum n x -> exists i, (i < n)%nat /\ 0 < x i).
  { induction n as [|n IH]; simpl; intros H P; [lra|]. destruct (Rle_lt_dec (x n) 0) as [L|L]; [|exists n; auto].
    destruct IH as (i & Hi & Pi); [auto | lra | exists i; auto]. }
  apply G; [exact Hx | lra].
Qed.

(* For all weights: x solves (7) if and only if there is a price lambda > 0 at which every accessed page satisfies (8)
   and every page that is never accessed has a_i <= lambda. There is no second solution. *)
Theorem lagrangian_conditions : forall (N : nat) (a kappa x : nat -> R),
  (forall i, (i < N)%nat -> 0 < a i /\ 0 < kappa i) -> feasible N x ->
  (solves_7 N a kappa x <-> exists lambda, 0 < lambda /\ kkt N a kappa x lambda) /\
  (solves_7 N a kappa x -> forall y, solves_7 N a kappa y -> forall i, (i < N)%nat -> x i = y i).
Proof.
  intros N a kappa x Hak F.
  assert (Nec : solves_7 N a kappa x -> exists lambda, 0 < lambda /\ kkt N a kappa x lambda).
  { intros Sol. destruct (some_page_accessed N x F) as (i & Hi & Pi). destruct (Hak i Hi) as [Ai Ki].
    exists (a i * marginal (kappa i) (x i)). split.
    { apply Rmult_lt_0_compat; [exact Ai | now apply marginal_below_1]. }
    intros j Hj. split; intros Zj; [|now apply (no_better_entry N a kappa x i j)].
    destruct (Nat.eq_dec i j) as [<- |Hij]; [reflexivity|].
    apply Rle_antisym; apply (no_better_move N a kappa x); auto. }
  split; [split; [exact Nec|]|].
  - intros (lambda & _ & K). split; [exact F|]. intros y Fy. now apply (kkt_sufficient N a kappa x lambda).
  - intros Sol y [Fy By]. destruct (Nec Sol) as (lambda & _ & K).
    apply (proj2 (kkt_sufficient N a kappa x lambda Hak F K y Fy)).
    apply Rle_antisym; [now apply (proj2 Sol) | now apply By].
Qed.
Print Assumptions lagrangian_conditions.
