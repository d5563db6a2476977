(* Section 5. The paper's H(q) decreases strictly, from the limit 2 phi^2 / 5 at 0+; the step y < 1 of its proof does not
   hold. The gaps of the golden ratio policy, scaled by sqrt 5 f, have the law D_s, 1 <= s <= phi; with E D_s = sqrt 5 and
   E D_s^2 = 2 phi s (phi^2 - s) the key lemma bounds the ratio of costs by phi^5 / 10, attained in the limit q -> 0 at
   s = phi^2 / 2, and H is the case s = 1. *)
From Coq Require Import List. Import ListNotations.
From Proofs.library Require Import Law.
From Proofs.theorems Require Import Key_lemma.

Definition phi : R := (1 + sqrt 5) / 2.

(* H(q), as printed. *)
Definition H (q : R) : R :=
  (q - 1 + (1 - / phi) * exp (- (phi / sqrt 5) * q) + / phi * exp (- (phi ^ 2 / sqrt 5) * q)) / (q - 1 + exp (- q)).

Lemma sqrt5_sq : sqrt 5 ^ 2 = 5.
Proof. rewrite pow2_sqrt; lra. Qed.
Lemma sqrt5_bounds : 22360679 / 10000000 < sqrt 5 < 22360680 / 10000000.
Proof.
  assert (0 < sqrt 5) by (apply sqrt_lt_R0; lra). assert (S := sqrt5_sq). simpl in S. rewrite Rmult_1_r in S.
  split; apply Rnot_le_lt; intro C; nra.
Qed.
Lemma phi_sq : phi ^ 2 = phi + 1.
Proof. unfold phi. field [sqrt5_sq]. Qed.
Lemma phi_bounds : 1618 / 1000 < phi < 1619 / 1000.
Proof. unfold phi. pose proof sqrt5_bounds. lra. Qed.
Lemma phi_inv : / phi = phi - 1.
Proof. pose proof phi_bounds. apply Rmult_eq_reg_l with phi; [|lra]. rewrite Rinv_r by lra. pose proof phi_sq. lra. Qed.

(* D_s / sqrt 5: three gaps with their probabilities. *)
Definition golden_gaps (s : R) : weights :=
  [((s - 1) / s, s / sqrt 5); ((s - / phi) / s, s * phi / sqrt 5); ((phi - s) / s, s * phi ^ 2 / sqrt 5)].

Lemma golden_is_law s : 1 <= s <= phi -> is_finite_law (golden_gaps s).
Proof.
  intros Hs. pose proof phi_bounds. pose proof sqrt5_bounds. pose proof phi_sq. split.
  - intros p x Hin. simpl in Hin. rewrite phi_inv in Hin.
    destruct Hin as [e|[e|[e|[]]]]; injection e as <- <-; split;
    (apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra]); try lra; nra.
  - simpl. rewrite phi_inv. field. lra.
Qed.
Definition golden_law (s : R) (Hs : 1 <= s <= phi) : law := finite_law (golden_gaps s) (golden_is_law s Hs).

Lemma golden_mean s Hs : mean (golden_law s Hs) = 1.
Proof.
  pose proof sqrt5_bounds. change (weighted_sum (golden_gaps s) (fun x => x) = 1).
  simpl. rewrite phi_inv. unfold phi. field [sqrt5_sq]. split; lra.
Qed.
Lemma golden_second s Hs : E (golden_law s Hs) (fun x => x ^ 2) = 2 * phi * s * (phi ^ 2 - s) / 5.
Proof.
  pose proof sqrt5_bounds. change (weighted_sum (golden_gaps s) (fun x => x ^ 2) = 2 * phi * s * (phi ^ 2 - s) / 5).
  simpl. rewrite phi_inv. unfold phi. field [sqrt5_sq]. split; lra.
Qed.

(* At every s some gap differs from the mean and has a positive probability: the second. *)
Lemma golden_not_constant s Hs : not_constantly 1 (golden_law s Hs).
Proof.
  intros f _ Nonneg Pos. pose proof phi_bounds. pose proof sqrt5_bounds. pose proof phi_sq.
  change (0 < weighted_sum (golden_gaps s) f).
  assert (Z : weighted_sum (golden_gaps s) (fun _ => 0) = 0) by (simpl; ring). rewrite <- Z.
  apply weighted_sum_strict.
  - intros p x Hin. destruct (proj1 (golden_is_law s Hs) p x Hin). auto.
  - destruct (Req_dec s 1) as [-> |Hn].
    + exists ((1 - / phi) / 1), (1 * phi / sqrt 5). split; [right; left; reflexivity|]. rewrite phi_inv. split; [lra|].
      assert (B : 0 < phi / sqrt 5 < 1).
      { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (sqrt 5); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      rewrite Rmult_1_l. apply Pos; lra.
    + exists ((s - 1) / s), (s / sqrt 5). split; [left; reflexivity|]. split; [apply Rdiv_lt_0_compat; lra|].
      assert (B : 0 < s / sqrt 5 < 1).
      { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (sqrt 5); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      apply Pos; lra.
Qed.

(* phi^5 / 10 is the greatest second moment, at s = phi^2 / 2 only. *)
Theorem second_moment : (forall s, 2 * phi * s * (phi ^ 2 - s) / 5 <= phi ^ 5 / 10) /\
  (forall s, 2 * phi * s * (phi ^ 2 - s) / 5 = phi ^ 5 / 10 <-> s = phi ^ 2 / 2) /\
  1 < phi ^ 2 / 2 < phi /\ phi ^ 5 / 10 = (11 + 5 * sqrt 5) / 20.
Proof.
  pose proof phi_bounds.
  assert (Id : forall s, phi ^ 5 / 10 = 2 * phi * s * (phi ^ 2 - s) / 5 + 2 * phi / 5 * (s - phi ^ 2 / 2) ^ 2) by (intros; field).
  split; [|split; [|split]].
  - intros s. rewrite (Id s). pose proof (pow2_ge_0 (s - phi ^ 2 / 2)). assert (0 <= 2 * phi / 5) by lra. nra.
  - intros s. split; [|intros ->; field]. intros Eq. rewrite (Id s) in Eq.
    assert (Z : (s - phi ^ 2 / 2) ^ 2 = 0) by nra. simpl in Z. rewrite Rmult_1_r in Z. apply Rmult_integral in Z. lra.
  - rewrite phi_sq. lra.
  - unfold phi. field [sqrt5_sq].
Qed.
Print Assumptions second_moment.

(* G_s(q) for every s in [1, phi], both ends included. *)
Theorem golden_bound : forall s (Hs : 1 <= s <= phi),
  (forall q, 0 < q -> 1 < G (golden_law s Hs) q < 2 * phi * s * (phi ^ 2 - s) / 5) /\
  2 * phi * s * (phi ^ 2 - s) / 5 <= phi ^ 5 / 10 /\
  (forall q r, 0 < q < r -> G (golden_law s Hs) r < G (golden_law s Hs) q) /\
  filterlim (G (golden_law s Hs)) (at_right 0) (locally (2 * phi * s * (phi ^ 2 - s) / 5)) /\
  is_lim (G (golden_law s Hs)) p_infty 1.
Proof.
  intros s Hs. set (D := golden_law s Hs).
  assert (Dec : forall q r, 0 < q < r -> G D r < G D q).
  { apply key_lemma; [exact I | apply golden_mean | intros q Hq; exact I | apply golden_not_constant]. }
  assert (Bd : forall q, 0 < q -> 1 <= G D q <= 2 * phi * s * (phi ^ 2 - s) / 5).
  { intros q Hq. rewrite <- (golden_second s Hs). apply key_bound; [exact I | apply golden_mean | intros p Hp; exact I | exact I | exact Hq]. }
  split; [|split; [apply second_moment | split; [exact Dec | split]]].
  - intros q Hq.
    assert (H1 : 0 < q / 2 < q) by lra. assert (H2 : 0 < q < 2 * q) by lra.
    pose proof (Dec _ _ H1). pose proof (Dec _ _ H2).
    assert (Q1 : 0 < q / 2) by lra. assert (Q2 : 0 < 2 * q) by lra.
    pose proof (Bd _ Q1). pose proof (Bd _ Q2). lra.
  - rewrite <- (golden_second s Hs). apply key_limit_zero; [exact I | apply golden_mean | intros q Hq; exact I | exact I | exact I].
  - apply key_limit_infinity; [exact I | apply golden_mean | intros q Hq; exact I].
Qed.
Print Assumptions golden_bound.

Lemma one_in : 1 <= 1 <= phi.
Proof. pose proof phi_bounds. lra. Qed.

Lemma H_is_G q : 0 < q -> H q = G (golden_law 1 one_in) q.
Proof.
  intros Hq. pose proof sqrt5_bounds.
  change (H q = weighted_sum (golden_gaps 1) (fun x => psi (q * x)) / psi q).
  unfold H. change (q - 1 + exp (- q)) with (psi q). f_equal.
  cbn [weighted_sum golden_gaps]. unfold psi. rewrite phi_inv.
  replace (- (q * (1 * phi / sqrt 5))) with (- (phi / sqrt 5) * q) by (field; lra).
  replace (- (q * (1 * phi ^ 2 / sqrt 5))) with (- (phi ^ 2 / sqrt 5) * q) by (field; lra).
  set (e1 := exp (- (phi / sqrt 5) * q)). set (e2 := exp (- (phi ^ 2 / sqrt 5) * q)).
  unfold phi. field [sqrt5_sq]. lra.
Qed.

(* The mission's constant: H is strictly decreasing, tends to 2 phi^2 / 5 < 1.05 at 0+, which is its supremum. *)
(* claim: CLW-C5.1a CLW-C5.1c CLW-C5.1e *)
Theorem H_decreasing_limit :
  (forall q r, 0 < q < r -> H r < H q) /\
  filterlim H (at_right 0) (locally (2 * phi ^ 2 / 5)) /\
  (forall q, 0 < q -> H q < 2 * phi ^ 2 / 5) /\
  2 * phi ^ 2 / 5 = (sqrt 5 + 3) / 5 /\ (sqrt 5 + 3) / 5 < 105 / 100.
Proof.
  pose proof phi_bounds. pose proof sqrt5_bounds. pose proof phi_sq as P2.
  destruct (golden_bound 1 one_in) as (Bd & _ & Dec & Lim & _).
  assert (V : 2 * phi * 1 * (phi ^ 2 - 1) / 5 = 2 * phi ^ 2 / 5) by (rewrite P2; nra). rewrite V in Lim.
  split; [|split; [|split; [|split]]].
  - intros q r Hqr. rewrite !H_is_G by lra. now apply Dec.
  - apply (filterlim_ext_loc (G (golden_law 1 one_in))); [|exact Lim].
    exists (mkposreal 1 Rlt_0_1). intros q _ Hq. symmetry. now apply H_is_G.
  - intros q Hq. rewrite H_is_G by exact Hq.
    assert (Hh : 0 < q / 2 < q) by lra. pose proof (Dec _ _ Hh) as L. rewrite <- V, <- (golden_second 1 one_in).
    apply Rlt_le_trans with (1 := L).
    apply key_bound; [exact I | apply golden_mean | intros p Hp; exact I | exact I | lra].
  - rewrite P2. unfold phi. field.
  - lra.
Qed.
Print Assumptions H_decreasing_limit.

(* The proof's y is above 1 for every q > 0, so its last inequality points the other way. *)
Definition lambda1 q := (1 - 2 / sqrt 5) * ((1 - exp (- q)) / q) + (sqrt 5 - 1) / (2 * sqrt 5).
Definition lambda2 q := - (1 - 2 / sqrt 5) * ((1 - exp (- q)) / q) + (sqrt 5 + 1) / (2 * sqrt 5).
Definition y q := (lambda1 q * phi + lambda2 q * phi ^ 2) / sqrt 5.

(* claim: CLW-C5.1j CLW-C5.1k-corrected *)
Theorem printed_step_fails : ~ (exists q, 0 < q /\ y q < 1) /\ (forall q, 0 < q -> exp (- y q * q) < exp (- q)).
Proof.
  pose proof sqrt5_bounds as Sb.
  assert (Y : forall q, 0 < q -> 1 < y q).
  { intros q Hq.
    assert (Id : y q - 1 = / sqrt 5 * (1 - 2 / sqrt 5) * (1 - (1 - exp (- q)) / q)).
    { unfold y, lambda1, lambda2, phi. field [sqrt5_sq]. split; lra. }
    assert (0 < / sqrt 5) by (apply Rinv_0_lt_compat; lra).
    assert (0 < 1 - 2 / sqrt 5).
    { replace (1 - 2 / sqrt 5) with ((sqrt 5 - 2) / sqrt 5) by (field; lra). apply Rdiv_lt_0_compat; lra. }
    assert (0 < 1 - (1 - exp (- q)) / q).
    { replace (1 - (1 - exp (- q)) / q) with (psi q / q) by (unfold psi; field; lra). apply Rdiv_lt_0_compat; [now apply psi_pos | exact Hq]. }
    assert (0 < / sqrt 5 * (1 - 2 / sqrt 5) * (1 - (1 - exp (- q)) / q)) by (repeat apply Rmult_lt_0_compat; assumption). lra. }
  split.
  - intros (q & Hq & L). specialize (Y q Hq). lra.
  - intros q Hq. specialize (Y q Hq). apply exp_increasing. nra.
Qed.
Print Assumptions printed_step_fails.
