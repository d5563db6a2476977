(* The key lemma, for every law: let D >= 0 have mean 1 and not be constant, psi(x) = x - 1 + exp(-x). Then
   G(q) = E psi(q D) / psi(q) decreases strictly on (0, oo), 1 < G(q) < E D^2, G(q) -> E D^2 at 0+, -> 1 at oo.

   Pointwise: K_D(q) = psi(q D) / psi(q) - M(q) (D - 1), with M chosen so that the difference of two tangents vanishes
   at D = 1, decreases in q for every D <> 1. The mean of D - 1 is 0, so G decreases as well. *)
From Coq Require Import List. Import ListNotations.
From Proofs.library Require Import Law.

Definition G (D : law) (q : R) : R := E D (fun x => psi (q * x)) / psi q.

(* P(D <> c) > 0, said through expectations: what is positive off c and not negative at c has a positive mean. *)
Definition not_constantly (c : R) (D : law) : Prop :=
  forall f, integrable D f -> (forall x, 0 <= x -> 0 <= f x) -> (forall x, 0 <= x -> x <> c -> 0 < f x) -> 0 < E D f.

(* ---- the pointwise inequality *)
Definition A q := q - 2 + (q + 2) * exp (- q).
Definition B q := q ^ 2 - 2 * q + 2 - 2 * exp (- q).
Definition J q := dpsi q ^ 2 - q ^ 2 * exp (- q).
Definition v q D := D * dpsi (q * D) * psi q - psi (q * D) * dpsi q.
Definition w q D := - J q * (D - 1) - v q D.
Definition w1 q D := - J q - (dpsi (q * D) * psi q + D * (q * exp (- (q * D))) * psi q - q * dpsi (q * D) * dpsi q).
Definition w2 q D := q * exp (- (q * D)) * (q * D * psi q - A q).

Lemma positive_by_derivative_on (b : R) (f g : R -> R) :
  (forall x, 0 <= x <= b -> is_derive f x (g x)) -> 0 <= f 0 ->
  (forall x, 0 < x <= b -> 0 < g x) -> forall x, 0 < x <= b -> 0 < f x.
Proof.
  intros D H0 Hg x [Hx Hb].
  destruct (MVT_cor2 f g 0 x Hx) as (c & E & Hc).
  - intros c Hc. apply is_derive_Reals, D; lra.
  - assert (Hg' : 0 < g c) by (apply Hg; lra). nra.
Qed.

Lemma A_pos q : 0 < q -> 0 < A q.
Proof.
  revert q. apply (positive_by_derivative _ (fun q => 1 - (q + 1) * exp (- q))).
  - intros x _. unfold A. auto_derive; auto. ring.
  - unfold A. rewrite Ropp_0, exp_0. lra.
  - apply (positive_by_derivative _ (fun q => q * exp (- q))).
    + intros x _. auto_derive; auto. ring.
    + rewrite Ropp_0, exp_0. lra.
    + intros x Hx. apply Rmult_lt_0_compat; [lra | apply exp_pos].
Qed.
Lemma B_pos q : 0 < q -> 0 < B q.
Proof.
  revert q. apply (positive_by_derivative _ (fun q => 2 * psi q)).
  - intros x _. unfold B, psi. auto_derive; auto. ring.
  - unfold B. rewrite Ropp_0, exp_0. lra.
  - intros x Hx. generalize (psi_pos x Hx). lra.
Qed.
Lemma J_pos q : 0 < q -> 0 < J q.
Proof.
  intros Hq.
  (* J = exp(-2q) K, K = (exp q - 1)^2 - q^2 exp q = exp q * L, L = exp q - 2 + exp(-q) - q^2 *)
  assert (L : forall x, 0 < x -> 0 < exp x - 2 + exp (- x) - x ^ 2).
  { apply (positive_by_derivative _ (fun x => exp x - exp (- x) - 2 * x)).
    - intros x _. auto_derive; auto. ring.
    - rewrite Ropp_0, exp_0. lra.
    - apply (positive_by_derivative _ (fun x => exp x + exp (- x) - 2)).
      + intros x _. auto_derive; auto. ring.
      + rewrite Ropp_0, exp_0. lra.
      + apply (positive_by_derivative _ (fun x => exp x - exp (- x))).
        * intros x _. auto_derive; auto. ring.
        * rewrite Ropp_0, exp_0. lra.
        * intros x Hx. assert (exp (- x) < exp x) by (apply exp_increasing; lra). lra. }
  specialize (L q Hq). unfold J, dpsi.
  replace ((1 - exp (- q)) ^ 2 - q ^ 2 * exp (- q)) with (exp (- q) * (exp q - 2 + exp (- q) - q ^ 2)).
  - apply Rmult_lt_0_compat; [apply exp_pos | exact L].
  - assert (exp (- q) * exp q = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). nra.
Qed.

Lemma w_d q D : is_derive (w q) D (w1 q D).
Proof. unfold w, w1, v, dpsi, psi. auto_derive; auto. ring. Qed.
Lemma w1_d q D : is_derive (w1 q) D (w2 q D).
Proof. unfold w1, w2, A, dpsi, psi. auto_derive; auto. ring. Qed.
Lemma w_at_1 q : w q 1 = 0.
Proof. unfold w, v. rewrite Rmult_1_r. ring. Qed.
Lemma w1_at_1 q : w1 q 1 = 0.
Proof. unfold w1, J. rewrite Rmult_1_r. unfold dpsi, psi. ring. Qed.
Lemma w_at_0 q : w q 0 = J q.
Proof. unfold w, v, psi. rewrite Rmult_0_r, Ropp_0, exp_0. ring. Qed.

Lemma shift_d (f f' : R -> R) a y : (forall x, is_derive f x (f' x)) -> is_derive (fun y => f (a + y)) y (f' (a + y)).
Proof.
  intros H. replace (f' (a + y)) with (scal 1 (f' (a + y))) by (unfold scal; simpl; unfold mult; simpl; ring).
  apply (is_derive_comp f (fun y => a + y)); [apply H | auto_derive; [exact I | ring]].
Qed.
Lemma mirror_d (f f' : R -> R) a y : (forall x, is_derive f x (f' x)) -> is_derive (fun y => f (a - y)) y (- f' (a - y)).
Proof.
  intros H. replace (- f' (a - y)) with (scal (-1) (f' (a - y))) by (unfold scal; simpl; unfold mult; simpl; ring).
  apply (is_derive_comp f (fun y => a - y)); [apply H | auto_derive; [exact I | ring]].
Qed.

(* w > 0 right of 1 *)
Lemma w_right q D : 0 < q -> 1 < D -> 0 < w q D.
Proof.
  intros Hq HD.
  assert (P : forall y, 0 < y -> 0 < w q (1 + y)).
  { apply (positive_by_derivative _ (fun y => w1 q (1 + y))).
    - intros y _. apply (shift_d (w q) (w1 q)), w_d.
    - rewrite Rplus_0_r, w_at_1. lra.
    - apply (positive_by_derivative _ (fun y => w2 q (1 + y))).
      + intros y _. apply (shift_d (w1 q) (w2 q)), w1_d.
      + rewrite Rplus_0_r, w1_at_1. lra.
      + intros y Hy. unfold w2. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra | apply exp_pos] | ].
        replace (q * (1 + y) * psi q - A q) with (B q + q * y * psi q) by (unfold B, A, psi; ring).
        pose proof (B_pos q Hq). assert (0 < q * y * psi q) by (repeat apply Rmult_lt_0_compat; try lra; now apply psi_pos). lra. }
  replace D with (1 + (D - 1)) by ring. apply P. lra.
Qed.

Definition D1 q := A q / (q * psi q).
Lemma D1_range q : 0 < q -> 0 < D1 q < 1.
Proof.
  intros Hq. unfold D1. pose proof (A_pos q Hq). pose proof (psi_pos q Hq). pose proof (B_pos q Hq).
  split. apply Rdiv_lt_0_compat; [lra | nra].
  apply Rmult_lt_reg_r with (q * psi q). nra.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by (apply Rgt_not_eq; nra).
  assert (B q = q * psi q - A q) by (unfold B, A, psi; ring). lra.
Qed.
Lemma w2_sign q D : 0 < q -> w2 q D = q * exp (- (q * D)) * (q * psi q) * (D - D1 q).
Proof. intros Hq. pose proof (psi_pos q Hq). unfold w2, D1. field. lra. Qed.

(* w > 0 on [D1, 1) *)
Lemma w_mid q D : 0 < q -> D1 q <= D < 1 -> 0 < w q D.
Proof.
  intros Hq HD. pose proof (psi_pos q Hq).
  assert (P : forall y, 0 < y <= 1 - D1 q -> 0 < w q (1 - y)).
  { apply (positive_by_derivative_on _ _ (fun y => - w1 q (1 - y))).
    - intros y _. apply (mirror_d (w q) (w1 q)), w_d.
    - rewrite Rminus_0_r, w_at_1. lra.
    - intros y Hy. destruct (Req_dec y (1 - D1 q)) as [-> |Hne].
      + destruct (MVT_cor2 (w1 q) (w2 q) (1 - (1 - D1 q)) 1) as (c & Ec & Hc).
        * pose proof (D1_range q Hq). lra.
        * intros c _. apply is_derive_Reals, w1_d.
        * rewrite w1_at_1 in Ec. rewrite w2_sign in Ec by lra.
          assert (0 < q * exp (- (q * c)) * (q * psi q) * (c - D1 q)).
          { repeat apply Rmult_lt_0_compat; try lra; try apply exp_pos. }
          pose proof (D1_range q Hq). nra.
      + destruct (MVT_cor2 (w1 q) (w2 q) (1 - y) 1) as (c & Ec & Hc).
        * lra.
        * intros c _. apply is_derive_Reals, w1_d.
        * rewrite w1_at_1 in Ec. rewrite w2_sign in Ec by lra.
          assert (0 < q * exp (- (q * c)) * (q * psi q) * (c - D1 q)).
          { repeat apply Rmult_lt_0_compat; try lra; try apply exp_pos. }
          nra. }
  replace D with (1 - (1 - D)) by ring. apply P. lra.
Qed.

(* a concave function that is positive at both ends is positive between *)
Lemma concave_pos (f f1 f2 : R -> R) a b :
  (forall x, is_derive f x (f1 x)) -> (forall x, is_derive f1 x (f2 x)) ->
  (forall x, a < x < b -> f2 x <= 0) -> 0 < f a -> 0 < f b -> forall c, a <= c <= b -> 0 < f c.
Proof.
  intros d1 d2 H2 Ha Hb c [Hac Hcb].
  destruct (Rle_lt_or_eq_dec a c Hac) as [Lac| <-]; [|exact Ha].
  destruct (Rle_lt_or_eq_dec c b Hcb) as [Lcb| ->]; [|exact Hb].
  destruct (MVT_cor2 f f1 a c Lac) as (x1 & E1 & R1). { intros; apply is_derive_Reals, d1. }
  destruct (MVT_cor2 f f1 c b Lcb) as (x2 & E2 & R2). { intros; apply is_derive_Reals, d1. }
  destruct (MVT_cor2 f1 f2 x1 x2) as (x3 & E3 & R3). { lra. } { intros; apply is_derive_Reals, d2. }
  assert (f2 x3 <= 0) by (apply H2; lra).
  destruct (Rlt_or_le 0 (f c)) as [|Hle]; [assumption|exfalso].
  assert (f1 x1 < 0) by nra. assert (0 < f1 x2) by nra. nra.
Qed.

Lemma w_pos q D : 0 < q -> 0 <= D -> D <> 1 -> 0 < w q D.
Proof.
  intros Hq HD Hne. pose proof (D1_range q Hq) as HR. pose proof (psi_pos q Hq).
  destruct (Rlt_or_le 1 D) as [H1|H1]. { now apply w_right. }
  destruct (Rle_or_lt (D1 q) D) as [H2|H2]. { apply w_mid; lra. }
  apply (concave_pos (w q) (w1 q) (w2 q) 0 (D1 q)).
  - apply w_d.
  - apply w1_d.
  - intros x Hx. rewrite w2_sign by lra. 
    assert (0 < q * exp (- (q * x)) * (q * psi q)) by (repeat apply Rmult_lt_0_compat; try lra; apply exp_pos). nra.
  - rewrite w_at_0. now apply J_pos.
  - apply w_mid; lra.
  - lra.
Qed.

Definition M q := q * dpsi q / psi q.
Definition K D q := psi (q * D) / psi q - M q * (D - 1).

Lemma K_d D q : 0 < q -> is_derive (K D) q (- w q D / psi q ^ 2).
Proof.
  intros Hq. pose proof (psi_pos q Hq) as P. unfold K, M. unfold psi in P.
  unfold w, v, J, dpsi, psi. auto_derive; [lra|]. field. lra.
Qed.

Lemma K_1 q : 0 < q -> K 1 q = 1.
Proof. intros Hq. pose proof (psi_pos q Hq). unfold K. rewrite Rmult_1_r. field. lra. Qed.

Lemma pointwise D q r : 0 <= D -> D <> 1 -> 0 < q < r -> K D r < K D q.
Proof.
  intros HD Hne [Hq Hr].
  destruct (MVT_cor2 (K D) (fun q => - w q D / psi q ^ 2) q r Hr) as (c & Ec & Hc).
  { intros c Hc. apply is_derive_Reals, K_d. lra. }
  assert (Hcp : 0 < c) by lra. pose proof (w_pos c D Hcp HD Hne). pose proof (psi_pos c Hcp).
  assert (0 < w c D / psi c ^ 2) by (apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra]).
  replace (- w c D / psi c ^ 2) with (- (w c D / psi c ^ 2)) in Ec by (field; lra). nra.
Qed.

(* ---- every law with mean 1 *)
Definition has_psi (D : law) : Prop := forall q, 0 < q -> integrable D (fun x => psi (q * x)).

Lemma centred D (f : R -> R) a b : has_mean D -> mean D = 1 -> integrable D f ->
  integrable D (fun x => a * f x + b * (x - 1)) /\ E D (fun x => a * f x + b * (x - 1)) = a * E D f.
Proof.
  intros ID MD If.
  assert (I1 : integrable D (fun x => 1 * x + (-1))) by (apply (integrable_affine D 1 (-1) (fun x => x) ID)).
  assert (J : integrable D (fun x => a * f x + b * (1 * x + (-1)))) by now apply (integrable_linear D a b f (fun x => 1 * x + (-1))).
  assert (S : forall x, 0 <= x -> a * f x + b * (1 * x + (-1)) = a * f x + b * (x - 1)) by (intros; ring).
  split; [now apply integrable_same with (2 := J)|].
  rewrite <- (E_same D _ _ J S), (E_linear D a b f (fun x => 1 * x + (-1)) If I1).
  rewrite (E_affine D 1 (-1) (fun x => x) ID). fold (mean D). rewrite MD. ring.
Qed.

Lemma E_difference D f g : integrable D f -> integrable D g ->
  integrable D (fun x => 1 * f x + (-1) * g x) /\ E D (fun x => 1 * f x + (-1) * g x) = E D f - E D g.
Proof.
  intros If Ig. split; [now apply integrable_linear|]. rewrite E_linear by assumption. ring.
Qed.

(* Where f is below g off 1 and not above it at 1, a law that is not constantly 1 sees it. *)
Lemma E_strict D f g : not_constantly 1 D -> integrable D f -> integrable D g ->
  (forall x, 0 <= x -> f x <= g x) -> (forall x, 0 <= x -> x <> 1 -> f x < g x) -> E D f < E D g.
Proof.
  intros N If Ig Le Lt. destruct (E_difference D g f Ig If) as [J Ej].
  assert (0 < E D (fun x => 1 * g x + (-1) * f x)); [|lra].
  apply N; [exact J | intros x Hx; specialize (Le x Hx); lra | intros x Hx Hn; specialize (Lt x Hx Hn); lra].
Qed.

Theorem key_lemma : forall D : law, has_mean D -> mean D = 1 -> has_psi D -> not_constantly 1 D ->
  forall q r, 0 < q < r -> G D r < G D q.
Proof.
  intros D ID MD IP N q r Hqr.
  assert (S : forall q, 0 < q -> integrable D (fun x => / psi q * psi (q * x) + - M q * (x - 1))
    /\ E D (fun x => / psi q * psi (q * x) + - M q * (x - 1)) = G D q).
  { intros p Hp. destruct (centred D (fun x => psi (p * x)) (/ psi p) (- M p) ID MD (IP p Hp)) as [J Ej].
    split; [exact J|]. rewrite Ej. unfold G, Rdiv. ring. }
  assert (Z : forall x p, / psi p * psi (p * x) + - M p * (x - 1) = K x p) by (intros; unfold K, Rdiv; ring).
  destruct (S q) as [Jq Eq]; [lra|]. destruct (S r) as [Jr Er]; [lra|]. rewrite <- Eq, <- Er.
  apply E_strict; auto; intros x Hx; rewrite !Z; [destruct (Req_dec x 1) as [-> |Hn]; [rewrite !K_1; lra|]; left | intros Hn];
  now apply pointwise.
Qed.
Print Assumptions key_lemma.

(* Pointwise, without any limit: a tangent below, and (x - 1)^2 psi(q) above it. *)
Lemma psi_tangent q x : 0 < q -> 0 <= x ->
  psi q + q * dpsi q * (x - 1) <= psi (q * x) /\ (x <> 1 -> psi q + q * dpsi q * (x - 1) < psi (q * x)).
Proof.
  intros Hq Hx.
  assert (Id : psi (q * x) - (psi q + q * dpsi q * (x - 1)) = exp (- q) * (exp (q - q * x) - (1 + (q - q * x)))).
  { unfold psi, dpsi. replace (exp (- (q * x))) with (exp (- q) * exp (q - q * x)) by (rewrite <- exp_plus; f_equal; ring). ring. }
  pose proof (exp_pos (- q)). pose proof (exp_tangent (q - q * x)). split; [nra|].
  intros Hn. assert (q - q * x <> 0) as Hz by (intros C; apply Hn; nra).
  pose proof (exp_ineq1 (q - q * x) Hz). nra.
Qed.

(* K decreases to its right limit, so it is enough to let q go to 0 in K: K_x(q) <= x^2 - 2 (x - 1). *)
Lemma psi_ratio_above q x : 0 < q -> 0 <= x -> psi (q * x) - psi q - q * dpsi q * (x - 1) <= (x - 1) ^ 2 * psi q.
Proof.
  intros Hq Hx. apply Rnot_lt_le. intros C. pose proof (psi_pos q Hq) as Pq.
  destruct (Req_dec x 1) as [-> |Hn]; [rewrite Rmult_1_r in C; nra|].
  set (L := x ^ 2 - 2 * (x - 1)).
  assert (Above : L < K x q).
  { unfold K, M, L. apply Rmult_lt_reg_r with (psi q); [exact Pq|].
    replace ((psi (q * x) / psi q - q * dpsi q / psi q * (x - 1)) * psi q) with (psi (q * x) - q * dpsi q * (x - 1)) by (field; lra).
    nra. }
  set (g := K x q - L) in *. assert (Hg : 0 < g) by (unfold g; lra).
  (* near 0 the quotient is at most x^2 / (1 - r/3) and M is within r of 2 *)
  assert (Near : forall r, 0 < r <= 1 -> K x r <= L + r * (x ^ 2 + x + 1)).
  { intros r Hr. assert (Pr : 0 < psi r) by (apply psi_pos; lra).
    assert (U : psi (r * x) <= (r * x) ^ 2 / 2) by (apply psi_upper; nra).
    assert (Lo : r ^ 2 / 2 - r ^ 3 / 6 <= psi r) by (apply psi_lower; lra).
    assert (Up : psi r <= r ^ 2 / 2) by (apply psi_upper; lra).
    assert (Ma : r * dpsi r = r ^ 2 - r * psi r) by (unfold psi, dpsi; ring).
    assert (Q1 : psi (r * x) / psi r <= x ^ 2 + r * x ^ 2).
    { apply Rmult_le_reg_r with (psi r); [exact Pr|].
      replace (psi (r * x) / psi r * psi r) with (psi (r * x)) by (field; lra).
      apply Rle_trans with (1 := U). assert (0 <= x ^ 2) by apply pow2_ge_0.
      assert (r ^ 2 / 2 <= (1 + r) * psi r) by nra. nra. }
    assert (Q2 : 2 - r <= M r <= 2 + r).
    { unfold M. rewrite Ma. split; apply Rmult_le_reg_r with (psi r); try exact Pr;
      replace ((r ^ 2 - r * psi r) / psi r * psi r) with (r ^ 2 - r * psi r) by (field; lra); nra. }
    unfold K, L. destruct (Rle_lt_dec 1 x); nra. }
  set (r := Rmin (Rmin (q / 2) 1) (g / (2 * (x ^ 2 + x + 1)))).
  assert (W : 0 < x ^ 2 + x + 1) by nra.
  assert (Hz : 0 < g / (2 * (x ^ 2 + x + 1))) by (apply Rdiv_lt_0_compat; lra).
  assert (Hr0 : 0 < r) by (unfold r; repeat apply Rmin_pos; lra).
  assert (Hr1 : r <= q / 2) by (unfold r; eapply Rle_trans; apply Rmin_l).
  assert (Hr2 : r <= 1) by (unfold r; eapply Rle_trans; [apply Rmin_l | apply Rmin_r]).
  assert (Hr3 : r * (2 * (x ^ 2 + x + 1)) <= g).
  { apply Rle_trans with (g / (2 * (x ^ 2 + x + 1)) * (2 * (x ^ 2 + x + 1))); [|right; field; lra].
    apply Rmult_le_compat_r; [lra | apply Rmin_r]. }
  assert (K x q < K x r) by (apply pointwise; auto; lra). assert (Hn1 : 0 < r <= 1) by lra. specialize (Near r Hn1).
  unfold g in *. nra.
Qed.

Theorem key_bound : forall D : law, has_mean D -> mean D = 1 -> has_psi D -> integrable D (fun x => x ^ 2) ->
  forall q, 0 < q -> 1 <= G D q <= E D (fun x => x ^ 2).
Proof.
  intros D ID MD IP I2 q Hq. pose proof (psi_pos q Hq) as Pq.
  destruct (centred D (fun x => psi (q * x)) (/ psi q) (- M q) ID MD (IP q Hq)) as [J Ej].
  assert (EG : G D q = E D (fun x => / psi q * psi (q * x) + - M q * (x - 1))) by (rewrite Ej; unfold G, Rdiv; ring).
  destruct (centred D (fun x => x ^ 2) 1 (-2) ID MD I2) as [J2 E2]. rewrite Rmult_1_l in E2.
  rewrite EG. split.
  - rewrite <- (E_const D 1) at 1. apply E_monotone; [apply integrable_const | exact J|].
    intros x Hx. destruct (psi_tangent q x Hq Hx) as [T _]. unfold M.
    apply Rmult_le_reg_r with (psi q); [exact Pq|].
    replace ((/ psi q * psi (q * x) + - (q * dpsi q / psi q) * (x - 1)) * psi q) with (psi (q * x) - q * dpsi q * (x - 1)) by (field; lra).
    lra.
  - rewrite <- E2. apply E_monotone; [exact J | exact J2|].
    intros x Hx. pose proof (psi_ratio_above q x Hq Hx) as U. unfold M.
    apply Rmult_le_reg_r with (psi q); [exact Pq|].
    replace ((/ psi q * psi (q * x) + - (q * dpsi q / psi q) * (x - 1)) * psi q) with (psi (q * x) - q * dpsi q * (x - 1)) by (field; lra).
    lra.
Qed.
Print Assumptions key_bound.

(* At infinity, for every law. *)
Theorem key_limit_infinity : forall D : law, has_mean D -> mean D = 1 -> has_psi D -> is_lim (G D) p_infty 1.
Proof.
  intros D ID MD IP.
  assert (Bd : forall q, 2 < q -> 1 - 2 / q <= G D q <= 1 + 2 / q).
  { intros q Hq. assert (Pq : 0 < psi q) by (apply psi_pos; lra).
    assert (Pu : q - 1 <= psi q <= q).
    { unfold psi. pose proof (exp_pos (- q)). assert (exp (- q) < 1) by (apply exp_below_1; lra). lra. }
    assert (Eu : q - 1 <= E D (fun x => psi (q * x)) <= q).
    { split.
      - apply Rle_trans with (E D (fun x => q * x + (-1))).
        + rewrite (E_affine D q (-1) (fun x => x) ID). fold (mean D). rewrite MD. lra.
        + apply E_monotone; [apply (integrable_affine D q (-1) (fun x => x) ID) | apply IP; lra|].
          intros x _. unfold psi. pose proof (exp_pos (- (q * x))). lra.
      - apply Rle_trans with (E D (fun x => q * x + 0)).
        + apply E_monotone; [apply IP; lra | apply (integrable_affine D q 0 (fun x => x) ID)|].
          intros x Hx. unfold psi. assert (0 <= q * x) by nra.
          assert (exp (- (q * x)) <= 1) by (destruct (Req_dec (q * x) 0) as [-> |]; [rewrite Ropp_0, exp_0; lra | left; apply exp_below_1; lra]). lra.
        + rewrite (E_affine D q 0 (fun x => x) ID). fold (mean D). rewrite MD. lra. }
    assert (Z : 0 < / q) by (apply Rinv_0_lt_compat; lra). assert (Zq : / q * q = 1) by (apply Rinv_l; lra).
    unfold G, Rdiv in *. split; apply Rmult_le_reg_r with (psi q); try exact Pq;
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; nra. }
  apply is_lim_le_le_loc with (f := fun q => 1 - 2 / q) (g := fun q => 1 + 2 / q).
  - exists 2. intros q Hq. now apply Bd.
  - replace (Finite 1) with (Rbar_plus 1 (Rbar_opp 0)) by (simpl; f_equal; ring).
    apply is_lim_minus with (1 : Rbar) (0 : Rbar); [apply is_lim_const | | reflexivity].
    replace (Finite 0) with (Rbar_mult 2 (Rbar_inv p_infty)) by (simpl; f_equal; ring).
    apply is_lim_mult; [apply is_lim_const | apply is_lim_inv; [apply is_lim_id | discriminate] | exact I].
  - replace (Finite 1) with (Rbar_plus 1 0) by (simpl; f_equal; ring).
    apply is_lim_plus with (1 : Rbar) (0 : Rbar); [apply is_lim_const | | reflexivity].
    replace (Finite 0) with (Rbar_mult 2 (Rbar_inv p_infty)) by (simpl; f_equal; ring).
    apply is_lim_mult; [apply is_lim_const | apply is_lim_inv; [apply is_lim_id | discriminate] | exact I].
Qed.
Print Assumptions key_limit_infinity.

(* At 0, for every law with a third moment: G(q) lies between (1 - q E D^3 / (3 E D^2)) E D^2 and E D^2. *)
Theorem key_limit_zero : forall D : law, has_mean D -> mean D = 1 -> has_psi D ->
  integrable D (fun x => x ^ 2) -> integrable D (fun x => x ^ 3) ->
  filterlim (G D) (at_right 0) (locally (E D (fun x => x ^ 2))).
Proof.
  intros D ID MD IP I2 I3. set (m2 := E D (fun x => x ^ 2)). set (m3 := E D (fun x => x ^ 3)).
  assert (P3 : 0 <= m3).
  { unfold m3. rewrite <- (E_const D 0). apply E_monotone; [apply integrable_const | exact I3|]. intros x Hx. now apply pow_le. }
  assert (Bd : forall q, 0 < q -> m2 - q * m3 / 3 <= G D q <= m2).
  { intros q Hq. split; [|now apply key_bound]. pose proof (psi_pos q Hq) as Pq.
    assert (Lo : (q ^ 2 / 2) * m2 + (- q ^ 3 / 6) * m3 <= E D (fun x => psi (q * x))).
    { unfold m2, m3. rewrite <- (E_linear D (q ^ 2 / 2) (- q ^ 3 / 6) (fun x => x ^ 2) (fun x => x ^ 3) I2 I3).
      apply E_monotone; [now apply (integrable_linear D (q ^ 2 / 2) (- q ^ 3 / 6) (fun x => x ^ 2) (fun x => x ^ 3)) | now apply IP|].
      intros x Hx. assert (0 <= q * x) as Hqx by nra. pose proof (psi_lower (q * x) Hqx). nra. }
    pose proof (psi_upper q (Rlt_le _ _ Hq)) as Up. unfold G. set (e := E D (fun x => psi (q * x))) in *.
    assert (Pe : 0 <= e).
    { unfold e. rewrite <- (E_const D 0). apply E_monotone; [apply integrable_const | now apply IP|]. intros; apply psi_nonneg. }
    apply Rle_trans with (e / (q ^ 2 / 2)).
    - apply Rmult_le_reg_r with (q ^ 2 / 2); [nra|].
      replace (e / (q ^ 2 / 2) * (q ^ 2 / 2)) with e by (field; lra).
      replace ((m2 - q * m3 / 3) * (q ^ 2 / 2)) with ((q ^ 2 / 2) * m2 + (- q ^ 3 / 6) * m3) by field. exact Lo.
    - apply Rmult_le_compat_l; [exact Pe | now apply Rinv_le_contravar]. }
  apply (filterlim_le_le (F := at_right 0) (fun q => m2 - q * m3 / 3) (G D) (fun _ => m2) (Finite m2)).
  - exists (mkposreal 1 Rlt_0_1). intros q _ Hq. now apply Bd.
  - apply limit_at_right; [auto_derive; exact I | field].
  - apply filterlim_const.
Qed.
Print Assumptions key_limit_zero.
