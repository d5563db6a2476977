(* Lemma 3.1, for every law of the access times.

   A page changes at the points of a Poisson process of rate mu; the time S between two accesses to it is the sum of
   d independent access times X. It is out of date for Z = (S - R)+, where R, the time to its first change, is
   exponential with rate mu and independent of S. Then E Z = d E X - (1 - h^d) / mu with h = E exp(-mu X). *)
From Proofs.library Require Import Law.

(* E (s - R)+ for a fixed s: the integral over the density of R on all of [0, oo). *)
Definition overdue_density (mu s r : R) : R := Rmax (s - r) 0 * (mu * exp (- mu * r)).
Definition overdue (mu s : R) : R := RInt_gen (overdue_density mu s) (at_point 0) (Rbar_locally p_infty).

Lemma overdue_integral mu s : 0 < mu -> 0 <= s ->
  is_RInt_gen (overdue_density mu s) (at_point 0) (Rbar_locally p_infty) (s - (1 - exp (- mu * s)) / mu).
Proof.
  intros Hm Hs P HP.
  apply Filter_prod with (Q := fun a => a = 0) (R := fun b => s < b); [reflexivity | exists s; auto|].
  intros a b -> Hb. exists (s - (1 - exp (- mu * s)) / mu). split; [|now apply locally_singleton].
  replace (s - (1 - exp (- mu * s)) / mu) with (plus (s - (1 - exp (- mu * s)) / mu) 0) by (unfold plus; simpl; ring).
  apply (is_RInt_Chasles (overdue_density mu s) 0 s b).
  - set (F := fun r => - (s - r) * exp (- mu * r) + exp (- mu * r) / mu).
    apply (is_RInt_ext (fun r => (s - r) * (mu * exp (- mu * r)))).
    { intros r Hr. rewrite Rmin_left, Rmax_right in Hr by lra. unfold overdue_density. rewrite Rmax_left by lra. reflexivity. }
    replace (s - (1 - exp (- mu * s)) / mu) with (minus (F s) (F 0)).
    + apply (is_RInt_derive F).
      * intros r _. unfold F. auto_derive; [exact I|]. unfold Rminus. field. lra.
      * intros r _. apply (ex_derive_continuous (fun r => (s - r) * (mu * exp (- mu * r)))). auto_derive. exact I.
    + unfold F, minus, plus, opp; simpl. rewrite Rmult_0_r, exp_0. field. lra.
  - apply (is_RInt_ext (fun _ => 0)).
    { intros r Hr. rewrite Rmin_left, Rmax_right in Hr by lra. unfold overdue_density. rewrite Rmax_right by lra.
      symmetry. apply Rmult_0_l. }
    assert (Z : scal (b - s) 0 = 0) by apply Rmult_0_r.
    rewrite <- Z. apply (is_RInt_ext (fun _ => 0)); [intros; symmetry; exact Z | apply (is_RInt_const s b 0)].
Qed.

Lemma overdue_value mu s : 0 < mu -> 0 <= s -> overdue mu s = s - (1 - exp (- mu * s)) / mu.
Proof. intros Hm Hs. now apply is_RInt_gen_unique, overdue_integral. Qed.

(* The integral over R converges, the expectation over the d access times exists, and it is what the lemma says. *)
(* claim: CLW-L3.1 *)
Theorem lemma_3_1 : forall (X : law) (mu : R) (d : nat), 0 < mu -> has_mean X -> has_transform X mu ->
  (forall s, 0 <= s -> ex_RInt_gen (overdue_density mu s) (at_point 0) (Rbar_locally p_infty)) /\
  integrable (copies X d) (overdue mu) /\
  E (copies X d) (overdue mu) = INR d * mean X - (1 - transform X mu ^ d) / mu.
Proof.
  intros X mu d Hm IX Ih.
  destruct (copies_mean X d IX) as [IS ES]. destruct (copies_transform X d mu Ih) as [IT ET].
  split; [intros s Hs; eexists; now apply overdue_integral|].
  assert (J : integrable (copies X d) (fun s => 1 * s + (/ mu) * (1 * exp (- mu * s) + (-1)))).
  { apply (integrable_linear _ 1 (/ mu) (fun s => s) (fun s => 1 * exp (- mu * s) + (-1))); [exact IS|].
    apply (integrable_affine _ 1 (-1) (fun s => exp (- mu * s)) IT). }
  assert (S : forall s, 0 <= s -> 1 * s + (/ mu) * (1 * exp (- mu * s) + (-1)) = overdue mu s).
  { intros s Hs. rewrite overdue_value by assumption. field. lra. }
  split; [now apply integrable_same with (2 := J)|].
  rewrite <- (E_same _ _ _ J S).
  rewrite (E_linear _ 1 (/ mu) (fun s => s) (fun s => 1 * exp (- mu * s) + (-1)) IS)
    by apply (integrable_affine _ 1 (-1) (fun s => exp (- mu * s)) IT).
  rewrite (E_affine _ 1 (-1) (fun s => exp (- mu * s)) IT). fold (mean (copies X d)) (transform (copies X d) mu).
  rewrite ES, ET. field. lra.
Qed.
Print Assumptions lemma_3_1.

(* The two kinds of law that are constructed here: nothing about them is assumed. *)
Theorem lemma_3_1_finite : forall l (H : is_finite_law l) (mu : R) (d : nat), 0 < mu ->
  E (copies (finite_law l H) d) (overdue mu)
  = INR d * weighted_sum l (fun x => x) - (1 - weighted_sum l (fun x => exp (- mu * x)) ^ d) / mu.
Proof. intros l H mu d Hm. now apply (lemma_3_1 (finite_law l H) mu d Hm I I). Qed.
Print Assumptions lemma_3_1_finite.

Theorem lemma_3_1_density : forall rho (H : is_density rho) (mu m h : R) (d : nat), 0 < mu ->
  half_line_integral (fun x => x * rho x) m -> half_line_integral (fun x => exp (- mu * x) * rho x) h ->
  E (copies (density_law rho H) d) (overdue mu) = INR d * m - (1 - h ^ d) / mu.
Proof.
  intros rho H mu m h d Hm Im Ih.
  rewrite <- (half_line_unique _ m Im), <- (half_line_unique _ h Ih).
  apply (lemma_3_1 (density_law rho H) mu d Hm); [now exists m | now exists h].
Qed.
Print Assumptions lemma_3_1_density.
