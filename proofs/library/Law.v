(* The law of a nonnegative random variable X, as its expectation sees it: which functions of X have an
   expectation, and a linear, monotone, normalised functional on them. Every probability law on [0, oo) is one,
   by the elementary rules of the integral; [finite_law] and [density_law] below are constructed in full. *)
From Coq Require Import List. Import ListNotations.
From Coq Require Import FunctionalExtensionality.
From Proofs.library Require Export Calculus.

Record law := {
  integrable : (R -> R) -> Prop;
  E : (R -> R) -> R;
  integrable_one : integrable (fun _ => 1);
  integrable_linear : forall a b f g, integrable f -> integrable g -> integrable (fun x => a * f x + b * g x);
  integrable_same : forall f g, (forall x, 0 <= x -> f x = g x) -> integrable f -> integrable g;
  E_one : E (fun _ => 1) = 1;
  E_linear : forall a b f g, integrable f -> integrable g -> E (fun x => a * f x + b * g x) = a * E f + b * E g;
  E_monotone : forall f g, integrable f -> integrable g -> (forall x, 0 <= x -> f x <= g x) -> E f <= E g
}.

Global Arguments integrable : simpl never.
Global Arguments E : simpl never.

(* The mean of X, and its Laplace transform: h = E exp(-mu X). *)
Definition mean (X : law) : R := E X (fun x => x).
Definition has_mean (X : law) : Prop := integrable X (fun x => x).
Definition transform (X : law) (mu : R) : R := E X (fun x => exp (- mu * x)).
Definition has_transform (X : law) (mu : R) : Prop := integrable X (fun x => exp (- mu * x)).

Lemma E_same X f g : integrable X f -> (forall x, 0 <= x -> f x = g x) -> E X f = E X g.
Proof.
  intros If H. assert (Ig : integrable X g) by now apply integrable_same with f.
  apply Rle_antisym; apply E_monotone; auto; intros x Hx; rewrite H by exact Hx; lra.
Qed.

Lemma integrable_affine X a b f : integrable X f -> integrable X (fun x => a * f x + b).
Proof.
  intros If. apply (integrable_same X (fun x => a * f x + b * 1)); [intros; ring|].
  apply (integrable_linear X a b f (fun _ => 1)); [exact If | apply integrable_one].
Qed.

Lemma E_affine X a b f : integrable X f -> E X (fun x => a * f x + b) = a * E X f + b.
Proof.
  intros If. rewrite (E_same X _ (fun x => a * f x + b * 1)); [|now apply integrable_affine | intros; ring].
  rewrite (E_linear X a b f (fun _ => 1)); [rewrite E_one; ring | exact If | apply integrable_one].
Qed.

Lemma integrable_const X c : integrable X (fun _ => c).
Proof.
  apply (integrable_same X (fun _ => 0 * 1 + c)); [intros; ring|].
  apply (integrable_affine X 0 c (fun _ => 1)), integrable_one.
Qed.

Lemma E_const X c : E X (fun _ => c) = c.
Proof.
  rewrite (E_same X _ (fun _ => 0 * 1 + c)); [|apply integrable_const | intros; ring].
  rewrite (E_affine X 0 c (fun _ => 1)) by apply integrable_one. ring.
Qed.

(* Jensen: h >= exp(-mu E X). *)
Lemma transform_jensen X mu : has_mean X -> has_transform X mu -> exp (- mu * mean X) <= transform X mu.
Proof.
  intros IX Ih. unfold transform. set (m := mean X).
  apply Rle_trans with (E X (fun x => (- mu * exp (- mu * m)) * x + (exp (- mu * m) + mu * m * exp (- mu * m)))).
  - rewrite (E_affine X _ _ (fun x => x) IX). fold (mean X); fold m. right. ring.
  - apply E_monotone; [apply (integrable_affine X _ _ (fun x => x) IX) | exact Ih|]. intros x _.
    replace (exp (- mu * x)) with (exp (- mu * m) * exp (- mu * x + mu * m)) by (rewrite <- exp_plus; f_equal; ring).
    pose proof (exp_tangent (- mu * x + mu * m)). pose proof (exp_pos (- mu * m)). nra.
Qed.

(* What the laws below have to show is left to proofs in plain sight, in the order of the fields. *)
Local Obligation Tactic := simpl; intros.

(* The law of the constant c. *)
Program Definition constant_law (c : R) (Hc : 0 <= c) : law :=
  {| integrable := fun _ => True; E := fun f => f c |}.
Next Obligation. exact I. Qed.
Next Obligation. exact I. Qed.
Next Obligation. exact I. Qed.
Next Obligation. reflexivity. Qed.
Next Obligation. reflexivity. Qed.
Next Obligation. auto. Qed.

(* The law of X + Y for independent X and Y: the expectation is taken over Y first, then over X. *)
Program Definition sum_of (X Y : law) : law := {|
  integrable := fun f => (forall x, 0 <= x -> integrable Y (fun y => f (x + y)))
                         /\ integrable X (fun x => E Y (fun y => f (x + y)));
  E := fun f => E X (fun x => E Y (fun y => f (x + y))) |}.
Next Obligation.
  split; [intros; apply integrable_const|].
  apply (integrable_same X (fun _ => 1)); [intros; now rewrite E_const | apply integrable_const].
Qed.
Next Obligation.
  destruct H as [Fy Fx], H0 as [Gy Gx]. split.
  - intros x Hx. apply (integrable_linear Y a b (fun y => f (x + y)) (fun y => g (x + y))); auto.
  - apply (integrable_same X (fun x => a * E Y (fun y => f (x + y)) + b * E Y (fun y => g (x + y)))).
    + intros x Hx. symmetry. apply (E_linear Y a b (fun y => f (x + y)) (fun y => g (x + y))); auto.
    + apply (integrable_linear X a b (fun x => E Y (fun y => f (x + y))) (fun x => E Y (fun y => g (x + y)))); auto.
Qed.
Next Obligation.
  destruct H0 as [Fy Fx]. split.
  - intros x Hx. apply (integrable_same Y (fun y => f (x + y))); [|auto]. intros y Hy. apply H; lra.
  - apply (integrable_same X (fun x => E Y (fun y => f (x + y)))); [|assumption].
    intros x Hx. apply E_same; [auto|]. intros y Hy. apply H; lra.
Qed.
Next Obligation.
  rewrite (E_same X _ (fun _ => 1)); [apply E_const | | intros; apply E_const].
  apply (integrable_same X (fun _ => 1)); [intros; now rewrite E_const | apply integrable_const].
Qed.
Next Obligation.
  destruct H as [Fy Fx], H0 as [Gy Gx].
  rewrite (E_same X _ (fun x => a * E Y (fun y => f (x + y)) + b * E Y (fun y => g (x + y)))).
  - apply (E_linear X a b (fun x => E Y (fun y => f (x + y))) (fun x => E Y (fun y => g (x + y)))); auto.
  - apply (integrable_same X (fun x => a * E Y (fun y => f (x + y)) + b * E Y (fun y => g (x + y)))).
    + intros x Hx. symmetry. apply (E_linear Y a b (fun y => f (x + y)) (fun y => g (x + y))); auto.
    + apply (integrable_linear X a b (fun x => E Y (fun y => f (x + y))) (fun x => E Y (fun y => g (x + y)))); auto.
  - intros x Hx. apply (E_linear Y a b (fun y => f (x + y)) (fun y => g (x + y))); auto.
Qed.
Next Obligation.
  destruct H as [Fy Fx], H0 as [Gy Gx].
  apply E_monotone; auto. intros x Hx. apply E_monotone; auto. intros y Hy. apply H1. lra.
Qed.

(* The law of X_1 + ... + X_d for independent copies of X. *)
Fixpoint copies (X : law) (d : nat) : law :=
  match d with
  | O => constant_law 0 (Rle_refl 0)
  | S d' => sum_of X (copies X d')
  end.

Lemma copies_mean X d : has_mean X -> has_mean (copies X d) /\ mean (copies X d) = INR d * mean X.
Proof.
  intros IX. induction d as [|d [Id Ed]]; [split; [exact I | change (0 = 0 * mean X); ring]|].
  rewrite S_INR. unfold has_mean, mean in *.
  change (((forall x, 0 <= x -> integrable (copies X d) (fun y => x + y)) /\ integrable X (fun x => E (copies X d) (fun y => x + y)))
    /\ E X (fun x => E (copies X d) (fun y => x + y)) = (INR d + 1) * E X (fun x => x)).
  assert (Q : forall x, integrable (copies X d) (fun y => x + y) /\ E (copies X d) (fun y => x + y) = 1 * x + INR d * E X (fun x => x)).
  { intros x. split.
    - apply (integrable_same _ (fun y => 1 * y + x)); [intros; ring | apply (integrable_affine _ 1 x (fun y => y) Id)].
    - rewrite (E_same _ _ (fun y => 1 * y + x)), (E_affine _ 1 x (fun y => y) Id), Ed; [ring| |intros; ring].
      apply (integrable_same _ (fun y => 1 * y + x)); [intros; ring | apply (integrable_affine _ 1 x (fun y => y) Id)]. }
  assert (J : integrable X (fun x => E (copies X d) (fun y => x + y))).
  { apply (integrable_same X (fun x => 1 * x + INR d * E X (fun x => x))); [intros; symmetry; apply Q|].
    apply (integrable_affine X 1 _ (fun x => x) IX). }
  split; [split; [intros; apply Q | exact J]|].
  rewrite (E_same X _ (fun x => 1 * x + INR d * E X (fun x => x)) J); [|intros; apply Q].
  rewrite (E_affine X 1 _ (fun x => x) IX). ring.
Qed.

Lemma copies_transform X d mu :
  has_transform X mu -> has_transform (copies X d) mu /\ transform (copies X d) mu = transform X mu ^ d.
Proof.
  intros Ih. induction d as [|d [Id Ed]].
  { split; [exact I|]. change (exp (- mu * 0) = 1). rewrite Rmult_0_r. apply exp_0. }
  unfold has_transform, transform in *.
  change (((forall x, 0 <= x -> integrable (copies X d) (fun y => exp (- mu * (x + y))))
    /\ integrable X (fun x => E (copies X d) (fun y => exp (- mu * (x + y)))))
    /\ E X (fun x => E (copies X d) (fun y => exp (- mu * (x + y)))) = E X (fun x => exp (- mu * x)) * E X (fun x => exp (- mu * x)) ^ d).
  set (h := E X (fun x => exp (- mu * x))) in *.
  assert (S : forall x y, exp (- mu * (x + y)) = exp (- mu * x) * exp (- mu * y) + 0).
  { intros. rewrite Rmult_plus_distr_l, exp_plus. ring. }
  assert (Q : forall x, integrable (copies X d) (fun y => exp (- mu * (x + y)))).
  { intros x. apply (integrable_same _ (fun y => exp (- mu * x) * exp (- mu * y) + 0)); [intros; now rewrite S|].
    apply (integrable_affine _ _ 0 (fun y => exp (- mu * y)) Id). }
  assert (V : forall x, E (copies X d) (fun y => exp (- mu * (x + y))) = h ^ d * exp (- mu * x) + 0).
  { intros x. rewrite (E_same _ _ (fun y => exp (- mu * x) * exp (- mu * y) + 0) (Q x)); [|intros; apply S].
    rewrite (E_affine _ _ 0 (fun y => exp (- mu * y)) Id), Ed. ring. }
  assert (J : integrable X (fun x => E (copies X d) (fun y => exp (- mu * (x + y))))).
  { apply (integrable_same X (fun x => h ^ d * exp (- mu * x) + 0)); [intros; symmetry; apply V|].
    apply (integrable_affine X _ 0 (fun x => exp (- mu * x)) Ih). }
  split; [split; [intros; apply Q | exact J]|].
  rewrite (E_same X _ (fun x => h ^ d * exp (- mu * x) + 0) J); [|intros; apply V].
  rewrite (E_affine X _ 0 (fun x => exp (- mu * x)) Ih). fold h. ring.
Qed.

(* Laws with finitely many values: a list of (probability, value). *)
Definition weights := list (R * R).
Fixpoint weighted_sum (l : weights) (f : R -> R) : R :=
  match l with [] => 0 | (p, x) :: t => p * f x + weighted_sum t f end.
Definition is_finite_law (l : weights) : Prop :=
  (forall p x, In (p, x) l -> 0 <= p /\ 0 <= x) /\ weighted_sum l (fun _ => 1) = 1.

Lemma weighted_sum_linear l a b f g :
  weighted_sum l (fun x => a * f x + b * g x) = a * weighted_sum l f + b * weighted_sum l g.
Proof. induction l as [|[p x] t IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma weighted_sum_monotone l f g :
  (forall p x, In (p, x) l -> 0 <= p /\ f x <= g x) -> weighted_sum l f <= weighted_sum l g.
Proof.
  induction l as [|[p x] t IH]; simpl; intros H; [lra|].
  destruct (H p x (or_introl eq_refl)). assert (weighted_sum t f <= weighted_sum t g) by (apply IH; auto). nra.
Qed.

Lemma weighted_sum_strict l f g :
  (forall p x, In (p, x) l -> 0 <= p /\ f x <= g x) -> (exists p x, In (p, x) l /\ 0 < p /\ f x < g x) ->
  weighted_sum l f < weighted_sum l g.
Proof.
  induction l as [|[p x] t IH]; simpl; intros H (p0 & x0 & Hin & Hp & Hlt); [contradiction|].
  destruct (H p x (or_introl eq_refl)) as [P L].
  assert (W : weighted_sum t f <= weighted_sum t g) by (apply weighted_sum_monotone; auto).
  destruct Hin as [e|Hin].
  - injection e as -> ->. nra.
  - assert (weighted_sum t f < weighted_sum t g) by (apply IH; [auto | now exists p0, x0]). nra.
Qed.

Program Definition finite_law (l : weights) (H : is_finite_law l) : law :=
  {| integrable := fun _ => True; E := weighted_sum l |}.
Next Obligation. exact I. Qed.
Next Obligation. exact I. Qed.
Next Obligation. exact I. Qed.
Next Obligation. apply (proj2 H). Qed.
Next Obligation. apply weighted_sum_linear. Qed.
Next Obligation. apply weighted_sum_monotone. intros p x Hi. destruct (proj1 H p x Hi). auto. Qed.

(* Laws with a density on (0, oo): improper Riemann integrals at both ends, so the density may be unbounded at 0.
   A density that is 0 beyond some point gives the laws on bounded intervals. *)
Definition half_line_integral (f : R -> R) (v : R) : Prop := is_RInt_gen f (at_right 0) (Rbar_locally p_infty) v.
Definition is_density (rho : R -> R) : Prop := (forall x, 0 < x -> 0 <= rho x) /\ half_line_integral rho 1.

Lemma half_line_inside (P : R -> Prop) : (forall x, 0 < x -> P x) ->
  filter_prod (at_right 0) (Rbar_locally p_infty) (fun ab => forall x, Rmin (fst ab) (snd ab) < x < Rmax (fst ab) (snd ab) -> P x).
Proof.
  intros H. apply Filter_prod with (Q := fun a => 0 < a) (R := fun b => 0 < b).
  - exists (mkposreal 1 Rlt_0_1). intros y _ Hy. exact Hy.
  - exists 0. auto.
  - intros a b Ha Hb x [Hx _]. simpl in Hx. apply H. apply Rlt_trans with (2 := Hx). now apply Rmin_pos.
Qed.

Lemma half_line_same f g v : (forall x, 0 < x -> f x = g x) -> half_line_integral f v -> half_line_integral g v.
Proof. intros H. apply is_RInt_gen_ext. now apply half_line_inside. Qed.

Lemma half_line_linear a b f g u v : half_line_integral f u -> half_line_integral g v ->
  half_line_integral (fun x => a * f x + b * g x) (a * u + b * v).
Proof.
  intros Hf Hg. apply (is_RInt_gen_plus (fun x => a * f x) (fun x => b * g x) (a * u) (b * v)).
  - apply (is_RInt_gen_scal f a u Hf).
  - apply (is_RInt_gen_scal g b v Hg).
Qed.

Lemma half_line_unique f v : half_line_integral f v -> RInt_gen f (at_right 0) (Rbar_locally p_infty) = v.
Proof. intros H. apply (is_RInt_gen_unique (V := R_CompleteNormedModule) f v H). Qed.

Lemma half_line_nonneg f v : (forall x, 0 < x -> 0 <= f x) -> half_line_integral f v -> 0 <= v.
Proof.
  intros H Hf.
  assert (Z : half_line_integral (fun _ => 0) 0).
  { apply (half_line_same (fun x => 0 * f x)); [intros; ring|].
    pose proof (half_line_linear 0 0 f f v v Hf Hf) as Z. rewrite !Rmult_0_l, Rplus_0_r in Z.
    apply half_line_same with (2 := Z). intros; ring. }
  assert (N : norm (0 : R) <= v); [|apply Rle_trans with (2 := N); apply norm_ge_0].
  apply (RInt_gen_norm (V := R_CompleteNormedModule) (Fa := at_right 0) (Fb := Rbar_locally p_infty) (fun _ => 0) f 0 v);
    try assumption.
  - apply Filter_prod with (Q := fun a => a < 1) (R := fun b => 1 < b).
    + exists (mkposreal 1 Rlt_0_1). intros y Hy _. unfold ball in Hy; simpl in Hy.
      unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy. apply Rabs_def2 in Hy. lra.
    + exists 1. auto.
    + simpl. intros. lra.
  - apply Filter_prod with (Q := fun a => 0 < a) (R := fun _ => True).
    + exists (mkposreal 1 Rlt_0_1). auto.
    + exists 0. auto.
    + simpl. intros a b Ha _ x Hx. change (Rabs 0 <= f x). rewrite Rabs_R0. apply H. lra.
Qed.

Program Definition density_law (rho : R -> R) (H : is_density rho) : law := {|
  integrable := fun f => exists v, half_line_integral (fun x => f x * rho x) v;
  E := fun f => RInt_gen (fun x => f x * rho x) (at_right 0) (Rbar_locally p_infty) |}.
Next Obligation. exists 1. apply (half_line_same rho); [intros; ring | apply H]. Qed.
Next Obligation. destruct H0 as [u Hu], H1 as [v Hv]. exists (a * u + b * v).
  apply (half_line_same (fun x => a * (f x * rho x) + b * (g x * rho x))); [intros; ring | now apply half_line_linear]. Qed.
Next Obligation. destruct H1 as [v Hv]. exists v. apply (half_line_same (fun x => f x * rho x)); [|exact Hv].
  intros x Hx. rewrite H0; lra. Qed.
Next Obligation. apply half_line_unique. apply (half_line_same rho); [intros; ring | apply H]. Qed.
Next Obligation. destruct H0 as [u Hu], H1 as [v Hv]. rewrite (half_line_unique _ u Hu), (half_line_unique _ v Hv).
  apply half_line_unique, (half_line_same (fun x => a * (f x * rho x) + b * (g x * rho x))); [intros; ring|].
  now apply half_line_linear. Qed.
Next Obligation. destruct H0 as [u Hu], H1 as [v Hv]. rewrite (half_line_unique _ u Hu), (half_line_unique _ v Hv).
  assert (0 <= 1 * v + (-1) * u); [|lra].
  apply (half_line_nonneg (fun x => 1 * (g x * rho x) + (-1) * (f x * rho x))); [|now apply half_line_linear].
  intros x Hx. pose proof (H2 x (Rlt_le _ _ Hx)). pose proof (proj1 H x Hx). nra. Qed.
