(* Section 4: each access goes to page i with probability f_i, independently. Lemma 4.1 with its geometric series,
   Theorem 4.1 with its case of equality, and the optimum for general weights (water-filling), for every number of pages. *)
From Proofs.library Require Import Calculus Sums.

(* The gap is n + 1 with probability f (1 - f)^n; by Lemma 3.1 a gap d costs d EX - (1 - h^d) / mu. *)
Definition gap_probability (f : R) (n : nat) : R := f * (1 - f) ^ n.
Definition gap_cost (EX mu h : R) (n : nat) : R := INR (S n) * EX - (1 - h ^ S n) / mu.

(* The printed obsolescence rate of a page. *)
Definition randomized_rate (EX mu h f : R) : R := 1 / EX * (EX - f / mu + f / mu * (f * h / (1 - h + f * h))).

Lemma geometric_transform f h : 0 < f <= 1 -> 0 < h < 1 ->
  is_series (fun n => gap_probability f n * h ^ S n) (f * h / (1 - h + f * h)).
Proof.
  intros Hf Hh. assert (Q : Rabs ((1 - f) * h) < 1) by (rewrite Rabs_right; nra).
  replace (f * h / (1 - h + f * h)) with (f * h * / (1 - (1 - f) * h)) by (assert (0 < f * h) by nra; field; repeat split; lra).
  apply (is_series_ext (fun n => f * h * ((1 - f) * h) ^ n)).
  - intros n. real_equation. unfold gap_probability. rewrite Rpow_mult_distr. simpl. ring.
  - apply (is_series_scal (f * h) (fun n => ((1 - f) * h) ^ n)). now apply is_series_geom.
Qed.

Lemma geometric_total f : 0 < f <= 1 -> is_series (gap_probability f) 1.
Proof.
  intros Hf. replace 1 with (f * / (1 - (1 - f))) by (field; lra).
  apply (is_series_scal f (fun n => (1 - f) ^ n)), is_series_geom. rewrite Rabs_right; lra.
Qed.

Lemma sum_n_S (a : nat -> R) n : @eq R (sum_n a (S n)) (sum_n a n + a (S n)).
Proof. apply (sum_Sn a n). Qed.

(* n q^n -> 0: with q = s^2 and s = 1 / (1 + e), Bernoulli gives n s^n <= 1 / e. *)
Lemma power_beats_index q : 0 <= q < 1 -> is_lim_seq (fun n => INR n * q ^ n) 0.
Proof.
  intros [H0 H1]. destruct (Req_dec q 0) as [-> |Hq].
  { apply (is_lim_seq_ext (fun _ => 0)); [|apply is_lim_seq_const].
    intros [|n]; [simpl; ring | rewrite pow_i by lia; ring]. }
  set (s := sqrt q). assert (Hs : 0 < s) by (apply sqrt_lt_R0; lra).
  assert (Ss : s * s = q) by (apply sqrt_sqrt; lra). assert (s < 1) by nra.
  set (e := / s - 1). assert (1 < / s) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (He : 0 < e) by (unfold e; lra).
  assert (Bn : forall n, INR n * s ^ n <= / e).
  { intros n. pose proof (poly n e He) as P. replace (1 + e) with (/ s) in P by (unfold e; ring).
    rewrite pow_inv in P. assert (Pn : 0 < s ^ n) by now apply pow_lt.
    apply Rmult_le_reg_r with e; [exact He|]. rewrite Rinv_l by lra.
    apply Rmult_le_compat_r with (r := s ^ n) in P; [|lra]. rewrite Rinv_l in P by lra. nra. }
  apply (is_lim_seq_le_le (fun _ => 0) _ (fun n => / e * s ^ n)).
  - intros n. assert (0 < s ^ n) by now apply pow_lt. assert (0 <= INR n) by apply pos_INR.
    rewrite <- Ss, Rpow_mult_distr. specialize (Bn n). split; [repeat apply Rmult_le_pos; lra|]. nra.
  - apply is_lim_seq_const.
  - replace (Finite 0) with (Rbar_mult (/ e) 0) by (simpl; f_equal; ring).
    apply is_lim_seq_scal_l, is_lim_seq_geom. rewrite Rabs_right; lra.
Qed.

Lemma geometric_mean f : 0 < f <= 1 -> is_series (fun n => gap_probability f n * INR (S n)) (/ f).
Proof.
  intros Hf.
  assert (P : forall n, @eq R (sum_n (fun n => gap_probability f n * INR (S n)) n)
    (/ f - (INR (S n) * (1 - f) ^ S n + / f * (1 - f) ^ S n))).
  { induction n as [|n IH].
    - rewrite sum_O. unfold gap_probability. simpl. field. lra.
    - rewrite sum_n_S, IH. unfold gap_probability. rewrite !S_INR. simpl pow. field. lra. }
  change (is_lim_seq (sum_n (fun n => gap_probability f n * INR (S n))) (/ f)).
  apply (is_lim_seq_ext (fun n => / f - (INR (S n) * (1 - f) ^ S n + / f * (1 - f) ^ S n)));
    [intros n; symmetry; apply P|].
  assert (Q : 0 <= 1 - f < 1) by lra.
  apply (is_lim_seq_incr_1 (fun n => / f - (INR n * (1 - f) ^ n + / f * (1 - f) ^ n))).
  replace (Finite (/ f)) with (Finite (/ f - (0 + / f * 0))) by (f_equal; ring).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply is_lim_seq_plus'; [now apply power_beats_index|].
  apply (is_lim_seq_scal_l (fun n => (1 - f) ^ n) (/ f) 0). apply is_lim_seq_geom. rewrite Rabs_right; lra.
Qed.

(* Lemma 4.1: the mean cost of a gap over its mean duration, both as sums over the geometric law. *)
Theorem lemma_4_1 : forall EX mu h f, 0 < EX -> 0 < mu -> 0 < h < 1 -> 0 < f <= 1 ->
  exists cost duration,
    is_series (fun n => gap_probability f n * gap_cost EX mu h n) cost /\
    is_series (fun n => gap_probability f n * (INR (S n) * EX)) duration /\
    0 < duration /\ cost / duration = randomized_rate EX mu h f.
Proof.
  intros EX mu h f HX Hm Hh Hf. exists (EX * / f + (/ mu * (f * h / (1 - h + f * h)) + (- / mu) * 1)), (EX * / f).
  assert (S1 : is_series (fun n => EX * (gap_probability f n * INR (S n))) (EX * / f)).
  { apply (is_series_scal EX (fun n => gap_probability f n * INR (S n)) (/ f)). now apply geometric_mean. }
  split; [|split; [|split]].
  - apply (is_series_ext (fun n => EX * (gap_probability f n * INR (S n)) + (/ mu * (gap_probability f n * h ^ S n) + (- / mu) * gap_probability f n))).
    { intros n. real_equation. unfold gap_cost. field. lra. }
    apply (is_series_plus (fun n => EX * (gap_probability f n * INR (S n)))); [exact S1|].
    apply (is_series_plus (fun n => / mu * (gap_probability f n * h ^ S n))).
    + apply (is_series_scal (/ mu) (fun n => gap_probability f n * h ^ S n)). now apply geometric_transform.
    + apply (is_series_scal (- / mu) (gap_probability f) 1). now apply geometric_total.
  - apply (is_series_ext (fun n => EX * (gap_probability f n * INR (S n)))); [intros n; real_equation; ring | exact S1].
  - assert (0 < / f) by (apply Rinv_0_lt_compat; lra). nra.
  - unfold randomized_rate. field. repeat split; nra.
Qed.
Print Assumptions lemma_4_1.

(* ---- the optimum. With b = 1/h - 1 and s = sqrt (c / mu) a page at frequency x saves s^2 x b / (x + b) (times 1 / EX). *)
Definition frequencies (N : nat) (x : nat -> R) : Prop := (forall i, (i < N)%nat -> 0 <= x i) /\ sum N x = 1.
Definition saving (s b x : R) : R := s ^ 2 * (x * b / (x + b)).

(* For any level t > 0 the saving lies below t^2 x + max(s - t, 0)^2 b, and meets it at x = max(s/t - 1, 0) b only. *)
Lemma saving_tangent s b t x : 0 < s -> 0 < b -> 0 < t -> 0 <= x ->
  saving s b x <= t ^ 2 * x + Rmax (s - t) 0 ^ 2 * b /\
  (saving s b x = t ^ 2 * x + Rmax (s - t) 0 ^ 2 * b <-> x = Rmax (s / t - 1) 0 * b).
Proof.
  intros Hs Hb Ht Hx. assert (Id : saving s b x = t ^ 2 * x + (s - t) ^ 2 * b - (t * x - (s - t) * b) ^ 2 / (x + b)).
  { unfold saving. field. lra. }
  assert (I0 : saving s b x = t ^ 2 * x - x * (t ^ 2 * x + (t ^ 2 - s ^ 2) * b) / (x + b)) by (unfold saving; field; lra).
  assert (St : (s / t - 1) * t = s - t) by (field; lra).
  assert (Ip : 0 < / (x + b)) by (apply Rinv_0_lt_compat; lra).
  destruct (Rle_lt_dec t s) as [L|L].
  - assert (N : 0 <= s / t - 1).
    { apply Rmult_le_reg_r with t; [exact Ht|]. rewrite St, Rmult_0_l. lra. }
    rewrite !Rmax_left by lra. rewrite Id. unfold Rdiv at 1.
    assert (P : 0 <= (t * x - (s - t) * b) ^ 2 * / (x + b)) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]).
    split; [lra|]. split.
    + intros Eq. unfold Rdiv in Eq. assert (Z : (t * x - (s - t) * b) ^ 2 * / (x + b) = 0) by lra.
      apply Rmult_integral in Z. destruct Z as [Z|Z]; [|lra].
      assert (W : t * x - (s - t) * b = 0) by (simpl in Z; rewrite Rmult_1_r in Z; apply Rmult_integral in Z; lra).
      apply Rmult_eq_reg_l with t; [|lra]. rewrite <- St in W. lra.
    + intros ->. replace (t * ((s / t - 1) * b) - (s - t) * b) with 0 by (rewrite <- St; ring). unfold Rdiv. ring.
  - assert (N : s / t - 1 <= 0).
    { apply Rmult_le_reg_r with t; [exact Ht|]. rewrite St, Rmult_0_l. lra. }
    rewrite !Rmax_right by lra. rewrite I0. unfold Rdiv at 1.
    assert (P1 : 0 <= t ^ 2 * x) by (apply Rmult_le_pos; [apply pow2_ge_0 | exact Hx]).
    assert (P2 : 0 < (t ^ 2 - s ^ 2) * b) by (apply Rmult_lt_0_compat; nra).
    assert (P : 0 <= t ^ 2 * x + (t ^ 2 - s ^ 2) * b) by lra.
    split.
    + assert (0 <= x * (t ^ 2 * x + (t ^ 2 - s ^ 2) * b) * / (x + b)).
      { apply Rmult_le_pos; [now apply Rmult_le_pos | lra]. }
      rewrite pow_i by lia. lra.
    + split; [|intros ->; unfold Rdiv; ring]. intros Eq. unfold Rdiv in Eq.
      assert (Z : x * (t ^ 2 * x + (t ^ 2 - s ^ 2) * b) * / (x + b) = 0) by lra.
      apply Rmult_integral in Z. destruct Z as [Z|Z]; [|lra]. apply Rmult_integral in Z. destruct Z as [Z|Z]; [lra|].
      lra.
Qed.

Definition at_level (s b : nat -> R) (t : R) (i : nat) : R := Rmax (s i / t - 1) 0 * b i.

(* All weights: at a level t where the frequencies max(s_i/t - 1, 0) b_i sum to 1 they are the one optimum. *)
Lemma level_is_optimal N s b t : 0 < t -> (forall i, (i < N)%nat -> 0 < s i /\ 0 < b i) -> sum N (at_level s b t) = 1 ->
  forall x, frequencies N x ->
  sum N (fun i => saving (s i) (b i) (x i)) <= sum N (fun i => saving (s i) (b i) (at_level s b t i)) /\
  (sum N (fun i => saving (s i) (b i) (x i)) = sum N (fun i => saving (s i) (b i) (at_level s b t i)) ->
   forall i, (i < N)%nat -> x i = at_level s b t i).
Proof.
  intros Ht Hsb S1 x [Hx Sx].
  set (bound := fun i => t ^ 2 * x i + 1 * (Rmax (s i - t) 0 ^ 2 * b i)).
  assert (U : forall i, (i < N)%nat -> saving (s i) (b i) (x i) <= bound i).
  { intros i Hi. destruct (Hsb i Hi) as [A B]. unfold bound. rewrite Rmult_1_l. now apply saving_tangent; auto. }
  assert (At : sum N (fun i => saving (s i) (b i) (at_level s b t i)) = sum N bound).
  { unfold bound. rewrite (sum_linear N (t ^ 2) 1 x), Sx.
    rewrite (sum_same N _ (fun i => t ^ 2 * at_level s b t i + 1 * (Rmax (s i - t) 0 ^ 2 * b i))).
    - rewrite (sum_linear N (t ^ 2) 1 (at_level s b t)), S1. reflexivity.
    - intros i Hi. destruct (Hsb i Hi) as [A B]. rewrite Rmult_1_l.
      assert (Z : 0 <= at_level s b t i) by (unfold at_level; apply Rmult_le_pos; [apply Rmax_r | lra]).
      exact (proj2 (proj2 (saving_tangent (s i) (b i) t _ A B Ht Z)) eq_refl). }
  rewrite At. split; [now apply sum_monotone|].
  intros Eq i Hi. destruct (Hsb i Hi) as [A B]. pose proof (sum_equal_only N _ _ U Eq i Hi) as E. unfold bound in E.
  rewrite Rmult_1_l in E. now apply (proj2 (saving_tangent (s i) (b i) t (x i) A B Ht (Hx i Hi))).
Qed.

(* Such a level exists: the sum is continuous in 1 / t, 0 at 1 / t = 0 and above 1 for large 1 / t. *)
Lemma level_exists N s b : (0 < N)%nat -> (forall i, (i < N)%nat -> 0 < s i /\ 0 < b i) ->
  exists t, 0 < t /\ sum N (at_level s b t) = 1.
Proof.
  intros HN Hsb. set (F := fun u => sum N (fun i => Rmax (s i * u - 1) 0 * b i) - 1).
  assert (C : continuity F).
  { intros u. apply continuity_pt_filterlim. unfold F. apply (continuous_minus (fun u => sum N (fun i => Rmax (s i * u - 1) 0 * b i)) (fun _ => 1)); [|apply continuous_const].
    clear. induction N as [|n IH]; simpl; [apply continuous_const|].
    apply (continuous_plus (fun u => sum n (fun i => Rmax (s i * u - 1) 0 * b i)) (fun u => Rmax (s n * u - 1) 0 * b n)); [exact IH|].
    apply (continuous_mult (fun u => Rmax (s n * u - 1) 0) (fun _ => b n)); [|apply continuous_const].
    apply (continuous_ext (fun u => ((s n * u - 1) + Rabs (s n * u - 1)) / 2)).
    { intros v. unfold Rmax, Rabs. destruct (Rle_dec (s n * v - 1) 0), (Rcase_abs (s n * v - 1)); lra. }
    apply (continuous_mult (fun u => s n * u - 1 + Rabs (s n * u - 1)) (fun _ => / 2)); [|apply continuous_const].
    assert (L : continuous (fun u => s n * u - 1) u) by (apply (ex_derive_continuous (fun u => s n * u - 1)); auto_derive; exact I).
    apply (continuous_plus (fun u => s n * u - 1) (fun u => Rabs (s n * u - 1))); [exact L|].
    apply (continuous_comp (fun u => s n * u - 1) Rabs); [exact L | apply continuous_Rabs]. }
  destruct (Hsb 0%nat HN) as [S0 B0].
  set (u1 := (1 + 2 / b 0%nat) / s 0%nat).
  assert (P2 : 0 < 2 / b 0%nat) by (apply Rdiv_lt_0_compat; lra).
  assert (U1 : 0 < u1) by (apply Rdiv_lt_0_compat; lra).
  assert (F0 : F 0 < 0).
  { unfold F. rewrite sum_0; [lra|]. intros i _. rewrite Rmax_right by lra. ring. }
  assert (F1 : 0 < F u1).
  { unfold F. assert (2 <= sum N (fun i => Rmax (s i * u1 - 1) 0 * b i)); [|lra].
    apply Rle_trans with (Rmax (s 0%nat * u1 - 1) 0 * b 0%nat).
    - replace (s 0%nat * u1 - 1) with (2 / b 0%nat) by (unfold u1; field; lra). rewrite Rmax_left by lra. right. field. lra.
    - apply (sum_member N (fun i => Rmax (s i * u1 - 1) 0 * b i)); [|exact HN].
      intros i Hi. destruct (Hsb i Hi). apply Rmult_le_pos; [apply Rmax_r | lra]. }
  destruct (IVT F 0 u1 C U1 F0 F1) as (u & Hu & Fu).
  assert (Pu : 0 < u) by (destruct (Req_dec u 0) as [-> |]; lra).
  exists (/ u). split; [now apply Rinv_0_lt_compat|]. unfold F in Fu.
  rewrite (sum_same N _ (fun i => Rmax (s i * u - 1) 0 * b i)); [lra|].
  intros i _. unfold at_level, Rdiv. rewrite Rinv_inv. reflexivity.
Qed.

(* The cost of the randomized policy: sum of the c_i r_i, with the printed rate of each page. *)
Definition randomized_cost (N : nat) (EX : R) (c mu h f : nat -> R) : R :=
  sum N (fun i => c i * randomized_rate EX (mu i) (h i) (f i)).

Lemma cost_by_savings N EX c mu h f : 0 < EX ->
  (forall i, (i < N)%nat -> 0 < c i /\ 0 < mu i /\ 0 < h i < 1 /\ 0 <= f i) ->
  randomized_cost N EX c mu h f
  = sum N c - / EX * sum N (fun i => saving (sqrt (c i / mu i)) (/ h i - 1) (f i)).
Proof.
  intros HX H. unfold randomized_cost.
  rewrite (sum_same N _ (fun i => 1 * c i + (- / EX) * saving (sqrt (c i / mu i)) (/ h i - 1) (f i))).
  - rewrite (sum_linear N 1 (- / EX) c). ring.
  - intros i Hi. destruct (H i Hi) as (C & M & Hh & Fi). unfold saving, randomized_rate.
    rewrite pow2_sqrt by (left; now apply Rdiv_lt_0_compat). field.
    repeat split; try lra; nra.
Qed.

Lemma odds_pos h : 0 < h < 1 -> 0 < / h - 1.
Proof. intros Hh. assert (1 < / h) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra. Qed.

(* General weights: there is exactly one optimum, f_i = max(s_i / t - 1, 0) (1/h_i - 1) with s_i = sqrt (c_i / mu_i)
   and the level t > 0 at which the f_i sum to 1. *)
Theorem water_filling : forall (N : nat) (EX : R) (c mu h : nat -> R), (0 < N)%nat -> 0 < EX ->
  (forall i, (i < N)%nat -> 0 < c i /\ 0 < mu i /\ 0 < h i < 1) ->
  exists t, 0 < t /\
  let best := at_level (fun i => sqrt (c i / mu i)) (fun i => / h i - 1) t in
  frequencies N best /\
  (forall f, frequencies N f -> randomized_cost N EX c mu h best <= randomized_cost N EX c mu h f) /\
  (forall f, frequencies N f -> randomized_cost N EX c mu h f = randomized_cost N EX c mu h best ->
     forall i, (i < N)%nat -> f i = best i).
Proof.
  intros N EX c mu h HN HX H. set (s := fun i => sqrt (c i / mu i)). set (b := fun i => / h i - 1).
  assert (Hsb : forall i, (i < N)%nat -> 0 < s i /\ 0 < b i).
  { intros i Hi. destruct (H i Hi) as (C & M & Hh). split; [apply sqrt_lt_R0; now apply Rdiv_lt_0_compat | now apply odds_pos]. }
  destruct (level_exists N s b HN Hsb) as (t & Ht & S1). exists t. split; [exact Ht|]. intros best.
  assert (Fb : frequencies N best).
  { split; [|exact S1]. intros i Hi. apply Rmult_le_pos; [apply Rmax_r | left; now apply Hsb]. }
  assert (Cost : forall f, frequencies N f -> randomized_cost N EX c mu h f = sum N c - / EX * sum N (fun i => saving (s i) (b i) (f i))).
  { intros f Ff. apply cost_by_savings; [exact HX|]. intros i Hi. destruct (H i Hi) as (C & M & Hh). repeat split; try apply Hh; auto. now apply Ff. }
  assert (Pe : 0 < / EX) by now apply Rinv_0_lt_compat.
  split; [exact Fb|]. split.
  - intros f Ff. rewrite !Cost by assumption. destruct (level_is_optimal N s b t Ht Hsb S1 f Ff) as [L _]. fold best in L. nra.
  - intros f Ff Eq. rewrite !Cost in Eq by assumption. apply (level_is_optimal N s b t Ht Hsb S1 f Ff). fold best.
    apply Rmult_eq_reg_l with (/ EX); lra.
Qed.
Print Assumptions water_filling.

(* Theorem 4.1: c_i = c_0 mu_i. The bound (11), and equality exactly at f_i proportional to 1/h_i - 1. *)
(* claim: CLW-T4.1 CLW-T4.1b *)
Theorem theorem_4_1 : forall (N : nat) (EX c0 : R) (mu h f : nat -> R), (0 < N)%nat -> 0 < EX -> 0 < c0 ->
  (forall i, (i < N)%nat -> 0 < mu i /\ 0 < h i < 1) -> frequencies N f ->
  let S := sum N (fun i => / h i - 1) in
  let bound := c0 * (sum N mu - 1 / EX * (S / (1 + S))) in
  bound <= randomized_cost N EX (fun i => c0 * mu i) mu h f /\
  (randomized_cost N EX (fun i => c0 * mu i) mu h f = bound <-> forall i, (i < N)%nat -> f i = (/ h i - 1) / S).
Proof.
  intros N EX c0 mu h f HN HX Hc H Ff S bound. set (b := fun i => / h i - 1). set (s := fun _ : nat => sqrt c0).
  assert (Rc : 0 < sqrt c0) by now apply sqrt_lt_R0. assert (Sc : sqrt c0 ^ 2 = c0) by (apply pow2_sqrt; lra).
  assert (Hsb : forall i, (i < N)%nat -> 0 < s i /\ 0 < b i) by (intros i Hi; split; [exact Rc | now apply odds_pos, H]).
  assert (PS : 0 < S) by (apply sum_pos; [exact HN | intros i Hi; now apply Hsb]).
  set (t := sqrt c0 * (S / (1 + S))).
  assert (P1 : 0 < S / (1 + S)) by (apply Rdiv_lt_0_compat; lra).
  assert (Ht : 0 < t) by (apply Rmult_lt_0_compat; assumption).
  assert (Lv : forall i, at_level s b t i = / S * b i).
  { intros i. unfold at_level, s, t. replace (sqrt c0 / (sqrt c0 * (S / (1 + S))) - 1) with (/ S) by (field; lra).
    rewrite Rmax_left; [reflexivity | left; now apply Rinv_0_lt_compat]. }
  assert (S1 : sum N (at_level s b t) = 1).
  { rewrite (sum_same N _ (fun i => / S * b i)) by (intros; apply Lv). rewrite sum_scale. fold S. change (sum N b) with S. field. lra. }
  assert (Cost : randomized_cost N EX (fun i => c0 * mu i) mu h f = c0 * sum N mu - / EX * sum N (fun i => saving (s i) (b i) (f i))).
  { rewrite cost_by_savings; [|exact HX|].
    - rewrite sum_scale. f_equal. f_equal. apply sum_same. intros i Hi. destruct (H i Hi). unfold s, b.
      replace (c0 * mu i / mu i) with c0 by (field; lra). reflexivity.
    - intros i Hi. destruct (H i Hi) as [M Hh]. repeat split; try apply Hh; auto; [nra | now apply Ff]. }
  assert (Best : sum N (fun i => saving (s i) (b i) (at_level s b t i)) = c0 * (S / (1 + S))).
  { rewrite (sum_same N _ (fun i => (c0 / (1 + S)) * b i)).
    - rewrite sum_scale. change (sum N b) with S. field. lra.
    - intros i Hi. destruct (Hsb i Hi) as [_ B]. rewrite Lv. unfold saving, s. rewrite Sc. field. repeat split; try lra.
      assert (0 < b i + S * b i) by nra. lra. }
  assert (Pe : 0 < / EX) by now apply Rinv_0_lt_compat.
  assert (Bo : bound = c0 * sum N mu - / EX * (c0 * (S / (1 + S)))) by (unfold bound; field; lra).
  destruct (level_is_optimal N s b t Ht Hsb S1 f Ff) as [L Q]. rewrite Best in L, Q. rewrite Bo, Cost.
  split; [nra|]. split.
  - intros Eq i Hi. rewrite (Q ltac:(apply Rmult_eq_reg_l with (/ EX); lra) i Hi), Lv. unfold b, Rdiv. ring.
  - intros Eq. rewrite <- Best. f_equal. f_equal. apply sum_same. intros i Hi. rewrite Lv, (Eq i Hi). unfold b, Rdiv. f_equal. ring.
Qed.
Print Assumptions theorem_4_1.
