(* Theorem 3.1: what a change of the access times does to the obsolescence rates. As printed it does not hold; only E X and
   h enter, and with them it is an equivalence. *)
From Coq Require Import List. Import ListNotations.
From Proofs.library Require Import Law Sums.
From Proofs.theorems Require Import Lower_bound.

(* X' is below X in the increasing convex order: E g(X') <= E g(X) for all increasing convex g with both expectations. *)
Definition convex (g : R -> R) : Prop :=
  forall x y t, 0 <= t <= 1 -> g (t * x + (1 - t) * y) <= t * g x + (1 - t) * g y.
Definition increasing (g : R -> R) : Prop := forall x y, x <= y -> g x <= g y.
Definition icx (X' X : law) : Prop := forall g, increasing g -> convex g ->
  integrable X' g -> integrable X g -> E X' g <= E X g.

(* A page that is accessed by [visits]; the rate of (2), with E Z from Lemma 3.1. *)
Definition rate_under (X : law) (mu : R) (visits : nat -> bool) (r : R) : Prop :=
  has_rate (mean X) mu (transform X mu) visits r.

(* Theorem 3.1 as printed, for the access times that have means and transforms. *)
Definition printed_theorem_3_1 : Prop := forall (X' X : law) mu visits r' r,
  0 < mu -> has_mean X -> has_mean X' -> has_transform X mu -> has_transform X' mu -> 0 < mean X -> 0 < mean X' ->
  icx X' X -> rate_under X' mu visits r' -> rate_under X mu visits r -> r' <= r.

(* One page, accessed all the time, mu = 1. *)
Definition longer : weights := [(1 / 2, 1 / 2); (1 / 2, 1)].
Definition shorter : weights := [(1 / 2, 1 / 10); (1 / 2, 1)].
Lemma longer_is_law : is_finite_law longer.
Proof. split; [|simpl; field]. intros p x [e|[e|[]]]; injection e as <- <-; lra. Qed.
Lemma shorter_is_law : is_finite_law shorter.
Proof. split; [|simpl; field]. intros p x [e|[e|[]]]; injection e as <- <-; lra. Qed.

Lemma always_rate EX mu h : 0 < EX -> 0 < mu -> has_rate EX mu h (fun _ => true) (1 - (1 - h) / (mu * EX)).
Proof.
  intros HX Hm.
  assert (T : forall n, over_gaps (gap_cost EX mu h) (fun _ => true) n = INR n * (EX - (1 - h) / mu)).
  { induction n as [|n IH]; [simpl; ring|]. cbn [over_gaps]. rewrite IH, S_INR.
    assert (Z : since (fun _ => true) n = O) by (destruct n; reflexivity). rewrite Z. unfold gap_cost. simpl. field. lra. }
  apply (is_lim_seq_ext_loc (fun _ => 1 - (1 - h) / (mu * EX))); [|apply is_lim_seq_const].
  exists 1%nat. intros n Hn. rewrite T. assert (0 < INR n) by (apply lt_0_INR; lia). field. lra.
Qed.

(* claim: CLW-T3.1 *)
(* X' <= X with the same probabilities, and yet the rate under X' is larger. *)
Theorem theorem_3_1_refuted : ~ printed_theorem_3_1.
Proof.
  intros H.
  set (X' := finite_law shorter shorter_is_law). set (X := finite_law longer longer_is_law).
  assert (M : mean X = 3 / 4) by (change (weighted_sum longer (fun x => x) = 3 / 4); simpl; field).
  assert (M' : mean X' = 11 / 20) by (change (weighted_sum shorter (fun x => x) = 11 / 20); simpl; field).
  set (a := exp (- (1 / 10))).
  assert (T : transform X 1 = (a ^ 5 + a ^ 10) / 2).
  { change (weighted_sum longer (fun x => exp (- (1) * x)) = (a ^ 5 + a ^ 10) / 2). unfold longer. cbn [weighted_sum].
    unfold a. rewrite <- !exp_multiple. simpl INR.
    replace (- (1) * (1 / 2)) with ((1 + 1 + 1 + 1 + 1) * - (1 / 10)) by field.
    replace (- (1) * 1) with ((1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1) * - (1 / 10)) by field. field. }
  assert (T' : transform X' 1 = (a + a ^ 10) / 2).
  { change (weighted_sum shorter (fun x => exp (- (1) * x)) = (a + a ^ 10) / 2). unfold shorter. cbn [weighted_sum].
    unfold a. rewrite <- !exp_multiple. simpl INR.
    replace (- (1) * (1 / 10)) with (- (1 / 10)) by ring.
    replace (- (1) * 1) with ((1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1) * - (1 / 10)) by field. field. }
  assert (A : 904 / 1000 <= a <= 905 / 1000).
  { assert (P : (1 / 10) ^ 2 / 2 - (1 / 10) ^ 3 / 6 <= psi (1 / 10)) by (apply psi_lower; lra).
    assert (U : psi (1 / 10) <= (1 / 10) ^ 2 / 2) by (apply psi_upper; lra). unfold psi in P, U. fold a in P, U. lra. }
  assert (Order : icx X' X).
  { intros g Inc _ _ _. change (weighted_sum shorter g <= weighted_sum longer g). simpl.
    assert (g (1 / 10) <= g (1 / 2)) by (apply Inc; lra). lra. }
  assert (Le : 1 - (1 - transform X' 1) / (1 * mean X') <= 1 - (1 - transform X 1) / (1 * mean X)).
  { apply (H X' X 1 (fun _ => true)); try exact I; try exact Order; try lra;
    apply always_rate; lra. }
  rewrite M, M', T, T' in Le.
  assert (P5 : a ^ 5 <= 61 / 100).
  { replace (61 / 100) with (61 / 100 * 1) by ring. assert (a ^ 2 <= 820 / 1000) by nra. assert (a ^ 4 <= 673 / 1000) by (replace (a ^ 4) with (a ^ 2 * a ^ 2) by ring; nra).
    replace (a ^ 5) with (a ^ 4 * a) by ring. assert (0 <= a ^ 4) by (apply pow_le; lra). nra. }
  assert (P10 : 0 <= a ^ 10) by (apply pow_le; lra).
  assert (P10u : 36 / 100 <= a ^ 10).
  { assert (8172 / 10000 <= a ^ 2) by nra. assert (667 / 1000 <= a ^ 4) by (replace (a ^ 4) with (a ^ 2 * a ^ 2) by ring; nra).
    assert (602 / 1000 <= a ^ 5) by (replace (a ^ 5) with (a ^ 4 * a) by ring; nra). replace (a ^ 10) with (a ^ 5 * a ^ 5) by ring. nra. }
  assert (Eq1 : (1 - (a + a ^ 10) / 2) / (1 * (11 / 20)) = (1 - (a + a ^ 10) / 2) * (20 / 11)) by field.
  assert (Eq2 : (1 - (a ^ 5 + a ^ 10) / 2) / (1 * (3 / 4)) = (1 - (a ^ 5 + a ^ 10) / 2) * (4 / 3)) by field.
  rewrite Eq1, Eq2 in Le. lra.
Qed.
Print Assumptions theorem_3_1_refuted.

(* The sufficient half of the correction: if E X' <= E X and (1 - h') / E X' >= (1 - h) / E X, no rate rises. *)
Lemma share_monotone h h' m m' d : 0 < h < 1 -> 0 < h' < 1 -> 0 < m' <= m -> (1 - h) / m <= (1 - h') / m' ->
  (1 - h ^ d) / m <= (1 - h' ^ d) / m'.
Proof.
  intros Hh Hh' Hm Sh. assert (P : 0 < / m <= / m') by (split; [apply Rinv_0_lt_compat; lra | apply Rinv_le_contravar; lra]).
  destruct (Rle_lt_dec h' h) as [L|L].
  - assert (h' ^ d <= h ^ d) by (apply pow_incr; lra). assert (h ^ d <= 1) by (rewrite <- (pow1 d); apply pow_incr; lra).
    unfold Rdiv. apply Rle_trans with ((1 - h' ^ d) * / m); [apply Rmult_le_compat_r; lra | apply Rmult_le_compat_l; lra].
  - induction d as [|d IH]; [simpl; unfold Rdiv; lra|].
    replace ((1 - h ^ S d) / m) with ((1 - h ^ d) / m + h ^ d * ((1 - h) / m)) by (simpl; field; lra).
    replace ((1 - h' ^ S d) / m') with ((1 - h' ^ d) / m' + h' ^ d * ((1 - h') / m')) by (simpl; field; lra).
    assert (0 < h ^ d <= h' ^ d) by (split; [apply pow_lt; lra | apply pow_incr; lra]).
    assert (0 < (1 - h) / m) by (apply Rdiv_lt_0_compat; lra).
    assert (h ^ d * ((1 - h) / m) <= h' ^ d * ((1 - h') / m')) by (apply Rmult_le_compat; lra). lra.
Qed.

Lemma over_gaps_scaled a cost cost' v n : (forall d, cost d <= a * cost' d) -> over_gaps cost v n <= a * over_gaps cost' v n.
Proof.
  intros H. induction n as [|n IH]; cbn [over_gaps]; [lra|].
  destruct (v (S n)); [specialize (H (S (since v n))); lra | lra].
Qed.

Theorem theorem_3_1_sufficient : forall EX' EX mu h' h visits r' r,
  0 < mu -> 0 < h < 1 -> 0 < h' < 1 -> 0 < EX' <= EX -> (1 - h) / EX <= (1 - h') / EX' ->
  has_rate EX' mu h' visits r' -> has_rate EX mu h visits r -> r' <= r.
Proof.
  intros EX' EX mu h' h v r' r Hm Hh Hh' HX Sh R' R.
  apply (is_lim_seq_le_loc _ _ (Finite r') (Finite r)) with (2 := R') (3 := R).
  exists 1%nat. intros n Hn. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  assert (T : over_gaps (gap_cost EX' mu h') v n <= EX' / EX * over_gaps (gap_cost EX mu h) v n).
  { apply over_gaps_scaled. intros d. unfold gap_cost.
    pose proof (share_monotone h h' EX EX' d Hh Hh' HX Sh) as Sd.
    apply Rmult_le_reg_r with (mu * / EX'); [apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra]|].
    replace ((INR d * EX' - (1 - h' ^ d) / mu) * (mu * / EX')) with (INR d * mu - (1 - h' ^ d) / EX') by (field; lra).
    replace (EX' / EX * (INR d * EX - (1 - h ^ d) / mu) * (mu * / EX')) with (INR d * mu - (1 - h ^ d) / EX) by (field; lra). lra. }
  apply Rmult_le_reg_r with (INR n * EX'); [apply Rmult_lt_0_compat; lra|].
  replace (over_gaps (gap_cost EX' mu h') v n / (INR n * EX') * (INR n * EX')) with (over_gaps (gap_cost EX' mu h') v n) by (field; lra).
  replace (over_gaps (gap_cost EX mu h) v n / (INR n * EX) * (INR n * EX')) with (EX' / EX * over_gaps (gap_cost EX mu h) v n) by (field; lra).
  exact T.
Qed.
Print Assumptions theorem_3_1_sufficient.
