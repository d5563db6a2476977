(* Theorems 3.3 and 3.4 for every number of pages, for schedules that do not look at the access times.

   The n-th access, n = 1, 2, ..., goes to the page [schedule n]. By Lemma 3.1 the gap d closed by an access costs the page
   d EX - (1 - h^d) / mu on average; (2) divides the sum of these costs over the first n accesses by n EX. *)
From Proofs.library Require Import Calculus Sums.

(* Accesses since the page's last one (since the start, before its first). [visits n]: does the n-th access go to it? *)
Fixpoint since (visits : nat -> bool) (n : nat) : nat :=
  match n with O => O | S m => if visits n then O else S (since visits m) end.
Fixpoint count (visits : nat -> bool) (n : nat) : R :=
  match n with O => 0 | S m => count visits m + (if visits n then 1 else 0) end.
(* Sum over the gaps that are closed by the n-th access or before. *)
Fixpoint over_gaps (cost : nat -> R) (visits : nat -> bool) (n : nat) : R :=
  match n with O => 0 | S m => over_gaps cost visits m + (if visits n then cost (S (since visits m)) else 0) end.

Definition has_frequency (visits : nat -> bool) (f : R) : Prop := is_lim_seq (fun n => count visits n / INR n) f.
Definition gap_cost (EX mu h : R) (d : nat) : R := INR d * EX - (1 - h ^ d) / mu.
Definition has_rate (EX mu h : R) (visits : nat -> bool) (r : R) : Prop :=
  is_lim_seq (fun n => over_gaps (gap_cost EX mu h) visits n / (INR n * EX)) r.

(* The right-hand side of Theorem 3.3; h^(1/f) is Rpower h (1/f). *)
Definition lower_bound (EX mu h f : R) : R := 1 / EX * (EX - f / mu + f / mu * Rpower h (1 / f)).

(* The gaps up to the last access add up to the index of that access. *)
Lemma gaps_add_up v n : over_gaps INR v n = INR n - INR (since v n).
Proof.
  induction n as [|n IH]; [simpl; ring|]. cbn [over_gaps since]. rewrite IH.
  destruct (v (S n)); rewrite !S_INR; [simpl; ring | ring].
Qed.

Lemma since_below v n : (since v n <= n)%nat.
Proof. induction n as [|n IH]; simpl; [lia | destruct (v (S n)); lia]. Qed.

Lemma count_at_last v n : count v n = count v (n - since v n).
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [since]. destruct (v (S n)) eqn:V.
  - now rewrite Nat.sub_0_r.
  - cbn [count]. rewrite V, Rplus_0_r. pose proof (since_below v n). exact IH.
Qed.

Lemma count_bounds v n : 0 <= count v n <= INR n.
Proof. induction n as [|n IH]; [simpl; lra|]. cbn [count]. rewrite S_INR. destruct (v (S n)); lra. Qed.

Lemma over_gaps_monotone a b v n : (forall d, a d <= b d) -> over_gaps a v n <= over_gaps b v n.
Proof. intros H. induction n as [|n IH]; simpl; [lra|]. destruct (v (S n)); [specialize (H (S (since v n))); lra | lra]. Qed.

Lemma over_gaps_affine a b v n : over_gaps (fun d => a * INR d + b) v n = a * over_gaps INR v n + b * count v n.
Proof. induction n as [|n IH]; cbn [over_gaps count]; [ring|]. rewrite IH. destruct (v (S n)); ring. Qed.

(* With a positive frequency the time since the last access is negligible. *)
Lemma since_negligible v f : 0 < f -> has_frequency v f -> is_lim_seq (fun n => INR (since v n) / INR n) 0.
Proof.
  intros Hf Hv. apply is_lim_seq_spec. intros eps. apply is_lim_seq_spec in Hv.
  set (e := Rmin (pos eps * f / 4) (f / 2)). pose proof (cond_pos eps).
  assert (He : 0 < e) by (unfold e; apply Rmin_pos; nra).
  assert (E1 : e <= pos eps * f / 4) by apply Rmin_l. assert (E2 : e <= f / 2) by apply Rmin_r.
  destruct (Hv (mkposreal e He)) as [N HN]. simpl in HN.
  destruct (nfloor_ex (2 * (INR N + 1) / f)) as [K HK].
  { apply Rmult_le_pos; [pose proof (pos_INR N); lra | left; now apply Rinv_0_lt_compat]. }
  exists (S (N + K)). intros n Hn.
  assert (Nn : (N <= n)%nat) by lia. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  pose proof (HN n Nn) as A. apply Rabs_def2 in A.
  assert (Cn : count v n = count v n / INR n * INR n) by (field; lra).
  assert (Lo : (f - e) * INR n <= count v n) by (rewrite Cn; apply Rmult_le_compat_r; lra).
  set (l := (n - since v n)%nat). pose proof (since_below v n).
  assert (Ln : INR l = INR n - INR (since v n)) by (unfold l; now rewrite minus_INR).
  assert (Big : INR N < INR l).
  { apply Rlt_le_trans with (count v n); [|rewrite count_at_last; apply count_bounds].
    assert (INR K + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia).
    assert (2 * (INR N + 1) < INR n * f).
    { apply Rmult_lt_reg_r with (/ f); [now apply Rinv_0_lt_compat|].
      replace (INR n * f * / f) with (INR n) by (field; lra). unfold Rdiv in HK. lra. }
    nra. }
  assert (Nl : (N <= l)%nat) by (apply Nat.lt_le_incl, INR_lt; exact Big).
  pose proof (pos_INR N). pose proof (HN l Nl) as B. apply Rabs_def2 in B.
  assert (Cl : count v l = count v l / INR l * INR l) by (field; lra).
  assert (Up : count v n <= (f + e) * INR l) by (rewrite count_at_last; fold l; rewrite Cl; apply Rmult_le_compat_r; lra).
  rewrite Rminus_0_r, Rabs_right by (apply Rle_ge, Rmult_le_pos; [apply pos_INR | left; now apply Rinv_0_lt_compat]).
  apply Rmult_lt_reg_r with (INR n); [exact Pn|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite Ln in Up. pose proof (pos_INR (since v n)).
  assert (f * INR (since v n) <= 2 * e * INR n) by nra. nra.
Qed.

(* The cost of a gap lies above its tangent at the mean gap 1/f, for real arguments; its slope is at least 0. *)
Lemma gap_cost_tangent EX mu h f d : 0 < mu -> 0 < h < 1 -> 0 < f ->
  let k := - ln h in let e := Rpower h (1 / f) in
  (EX - k * e / mu) * INR d + (k * e / (mu * f) - (1 - e) / mu) <= gap_cost EX mu h d.
Proof.
  intros Hm Hh Hf k e. unfold gap_cost.
  assert (Ed : h ^ d = e * exp (ln h * (INR d - 1 / f))).
  { rewrite <- Rpower_pow by lra. unfold e, Rpower. rewrite <- exp_plus. f_equal. ring. }
  pose proof (exp_tangent (ln h * (INR d - 1 / f))) as T. assert (Pe : 0 < e) by apply exp_pos.
  assert (U : e * (1 + ln h * (INR d - 1 / f)) <= h ^ d) by (rewrite Ed; apply Rmult_le_compat_l; lra).
  apply Rmult_le_reg_r with mu; [exact Hm|].
  replace (((EX - k * e / mu) * INR d + (k * e / (mu * f) - (1 - e) / mu)) * mu)
    with (INR d * EX * mu - 1 + e * (1 + ln h * (INR d - 1 / f))) by (unfold k; field; lra).
  replace ((INR d * EX - (1 - h ^ d) / mu) * mu) with (INR d * EX * mu - 1 + h ^ d) by (field; lra). lra.
Qed.

Theorem theorem_3_3 : forall EX mu h f r visits, 0 < EX -> 0 < mu -> 0 < h < 1 -> 0 < f ->
  has_frequency visits f -> has_rate EX mu h visits r -> lower_bound EX mu h f <= r.
Proof.
  intros EX mu h f r v HX Hm Hh Hf Fv Rv. set (k := - ln h). set (e := Rpower h (1 / f)).
  set (a := EX - k * e / mu). set (b := k * e / (mu * f) - (1 - e) / mu).
  set (low := fun n => / EX * (a * (1 - INR (since v n) / INR n) + b * (count v n / INR n))).
  assert (L : is_lim_seq low (/ EX * (a * (1 - 0) + b * f))).
  { apply (is_lim_seq_scal_l (fun n => a * (1 - INR (since v n) / INR n) + b * (count v n / INR n)) (/ EX) (Finite (a * (1 - 0) + b * f))).
    apply is_lim_seq_plus'.
    - apply (is_lim_seq_scal_l (fun n => 1 - INR (since v n) / INR n) a (Finite (1 - 0))).
      apply is_lim_seq_minus'; [apply is_lim_seq_const | now apply since_negligible with f].
    - apply (is_lim_seq_scal_l (fun n => count v n / INR n) b (Finite f)). exact Fv. }
  replace (lower_bound EX mu h f) with (/ EX * (a * (1 - 0) + b * f)).
  2:{ unfold lower_bound, a, b. fold e. field. lra. }
  apply (is_lim_seq_le_loc low (fun n => over_gaps (gap_cost EX mu h) v n / (INR n * EX)) (Finite _) (Finite _)); [|exact L | exact Rv].
  exists 1%nat. intros n Hn. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  assert (T : a * over_gaps INR v n + b * count v n <= over_gaps (gap_cost EX mu h) v n).
  { rewrite <- over_gaps_affine. apply over_gaps_monotone. intros d. unfold a, b, k, e. now apply gap_cost_tangent. }
  rewrite gaps_add_up in T. unfold low.
  replace (/ EX * (a * (1 - INR (since v n) / INR n) + b * (count v n / INR n)))
    with ((a * (INR n - INR (since v n)) + b * count v n) / (INR n * EX)) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra | exact T].
Qed.
Print Assumptions theorem_3_3.

(* ---- every page at once *)
Definition visits_to (schedule : nat -> nat) (i n : nat) : bool := Nat.eqb (schedule n) i.

Lemma sum_one N i : (i < N)%nat -> sum N (fun j => if Nat.eqb i j then 1 else 0) = 1.
Proof.
  induction N as [|N IH]; intros Hi; [lia|]. cbn [sum]. destruct (Nat.eqb_spec i N) as [-> |Hn].
  - rewrite sum_0; [ring|]. intros j Hj. destruct (Nat.eqb_spec N j); [lia | reflexivity].
  - rewrite IH by lia. ring.
Qed.

Lemma counts_add_up N schedule n : (forall n, (schedule n < N)%nat) ->
  sum N (fun i => count (visits_to schedule i) n) = INR n.
Proof.
  intros H. induction n as [|n IH]; [apply sum_0; reflexivity|]. cbn [count].
  rewrite (sum_same N _ (fun i => 1 * count (visits_to schedule i) n + 1 * (if Nat.eqb (schedule (S n)) i then 1 else 0))).
  - rewrite (sum_linear N 1 1), IH, sum_one, S_INR by apply H. ring.
  - intros i _. unfold visits_to. ring.
Qed.

Lemma sum_limits N (u : nat -> nat -> R) (l : nat -> R) : (forall i, (i < N)%nat -> is_lim_seq (u i) (l i)) ->
  is_lim_seq (fun n => sum N (fun i => u i n)) (sum N l).
Proof. induction N as [|N IH]; intros H; simpl; [apply is_lim_seq_const|]. apply is_lim_seq_plus'; auto. Qed.

Lemma frequencies_add_up N schedule f : (forall n, (schedule n < N)%nat) ->
  (forall i, (i < N)%nat -> has_frequency (visits_to schedule i) (f i)) -> sum N f = 1.
Proof.
  intros H Hf. pose proof (sum_limits N (fun i n => count (visits_to schedule i) n / INR n) f Hf) as L.
  assert (L1 : is_lim_seq (fun n => sum N (fun i => count (visits_to schedule i) n / INR n)) 1).
  { apply (is_lim_seq_ext_loc (fun _ => 1)); [|apply is_lim_seq_const]. exists 1%nat. intros n Hn.
    rewrite (sum_same N _ (fun i => / INR n * count (visits_to schedule i) n)) by (intros; unfold Rdiv; ring).
    rewrite sum_scale, counts_add_up by exact H. rewrite Rinv_l; [reflexivity | apply Rgt_not_eq, lt_0_INR; lia]. }
  apply is_lim_seq_unique in L. apply is_lim_seq_unique in L1. rewrite L in L1. now injection L1.
Qed.

(* (6), with c_i = c_0 mu_i, divided by c_0 > 0. That h_i > exp (- mu_i EX) - that X is not constant - is not needed: it
   is enough that h_i >= exp (- mu_i EX), Jensen's inequality, which holds for every law. *)
Theorem theorem_3_4 : forall (N : nat) (EX c0 : R) (mu h f r : nat -> R) (schedule : nat -> nat),
  (0 < N)%nat -> 0 < EX -> 0 < c0 -> (forall n, (schedule n < N)%nat) ->
  (forall i, (i < N)%nat -> 0 < mu i /\ 0 < h i < 1 /\ exp (- mu i * EX) <= h i /\ 0 < f i /\
     has_frequency (visits_to schedule i) (f i) /\ has_rate EX (mu i) (h i) (visits_to schedule i) (r i)) ->
  let bound := c0 * (sum N mu - 1 / EX + 1 / EX * product N h) in
  bound <= sum N (fun i => c0 * mu i * r i) /\ 0 < bound.
Proof.
  intros N EX c0 mu h f r schedule HN HX Hc Hs H bound. unfold bound. set (Q := sum N (fun i => - ln (h i))).
  assert (Sf : sum N f = 1) by (apply (frequencies_add_up N schedule); [exact Hs | intros i Hi; now apply H]).
  assert (Ph : product N h = exp (- Q)).
  { replace (- Q) with (sum N (fun i => ln (h i))).
    - rewrite <- product_exp. apply product_same. intros i Hi. symmetry. apply exp_ln, H, Hi.
    - unfold Q. rewrite (sum_same N (fun i => - ln (h i)) (fun i => (-1) * ln (h i))) by (intros; ring). rewrite sum_scale. ring. }
  assert (Pe : 0 < / EX) by now apply Rinv_0_lt_compat. assert (P0 : 0 < exp (- Q)) by apply exp_pos.
  split.
  - rewrite (sum_same N (fun i => c0 * mu i * r i) (fun i => c0 * (mu i * r i))) by (intros; ring). rewrite sum_scale. apply Rmult_le_compat_l; [lra|].
    set (g := fun i => (-1 + exp (- Q) * (1 + Q)) * f i + (- exp (- Q)) * (- ln (h i))).
    apply Rle_trans with (sum N (fun i => 1 * mu i + / EX * g i)).
    + rewrite (sum_linear N 1 (/ EX) mu g). unfold g.
      rewrite (sum_linear N (-1 + exp (- Q) * (1 + Q)) (- exp (- Q)) f (fun i => - ln (h i))), Sf. fold Q. rewrite Ph.
      right. field. lra.
    + apply sum_monotone. intros i Hi. destruct (H i Hi) as (Hm & Hh & _ & Hf & Fv & Rv).
      pose proof (theorem_3_3 EX (mu i) (h i) (f i) (r i) _ HX Hm Hh Hf Fv Rv) as B. unfold lower_bound in B.
      set (e := Rpower (h i) (1 / f i)) in *.
      assert (Ee : e = exp (- Q) * exp (Q + ln (h i) / f i)).
      { unfold e, Rpower. rewrite <- exp_plus. f_equal. field. lra. }
      pose proof (exp_tangent (Q + ln (h i) / f i)) as T.
      assert (U : f i * (exp (- Q) * (1 + (Q + ln (h i) / f i))) <= f i * e).
      { apply Rmult_le_compat_l; [lra|]. rewrite Ee. apply Rmult_le_compat_l; lra. }
      apply Rmult_le_compat_l with (r := mu i) in B; [|lra].
      replace (mu i * (1 / EX * (EX - f i / mu i + f i / mu i * e))) with (mu i + / EX * (- f i + f i * e)) in B by (field; lra).
      replace (f i * (exp (- Q) * (1 + (Q + ln (h i) / f i)))) with (exp (- Q) * (1 + Q) * f i + exp (- Q) * ln (h i)) in U by (field; lra).
      apply Rle_trans with (2 := B). unfold g. nra.
  - apply Rmult_lt_0_compat; [exact Hc|]. rewrite Ph.
    assert (Qm : Q <= sum N mu * EX).
    { rewrite Rmult_comm, <- sum_scale. apply sum_monotone. intros i Hi. destruct (H i Hi) as (Hm & Hh & J & _).
      assert (- mu i * EX <= ln (h i)); [|lra]. rewrite <- (ln_exp (- mu i * EX)). apply ln_le; [apply exp_pos | exact J]. }
    assert (PQ : 0 < Q).
    { apply sum_pos; [exact HN|]. intros i Hi. destruct (H i Hi) as (_ & Hh & _).
      assert (ln (h i) < 0) by (rewrite <- ln_1; apply ln_increasing; lra). lra. }
    pose proof (psi_pos Q PQ) as P. unfold psi in P.
    apply Rmult_lt_reg_r with EX; [exact HX|]. rewrite Rmult_0_l.
    replace ((sum N mu - 1 / EX + 1 / EX * exp (- Q)) * EX) with (sum N mu * EX - 1 + exp (- Q)) by (field; lra). lra.
Qed.
Print Assumptions theorem_3_4.
