(* Two tools that the other files share, and psi(x) = x - 1 + exp(-x), in which every cost of the paper is written. *)
From Coq Require Export Reals Lra Psatz Lia.
From Coquelicot Require Export Coquelicot.
Open Scope R_scope.

(* A function that starts at 0 or above and has a positive derivative is positive. *)
Lemma positive_by_derivative (f g : R -> R) :
  (forall x, 0 <= x -> is_derive f x (g x)) -> 0 <= f 0 -> (forall x, 0 < x -> 0 < g x) ->
  forall x, 0 < x -> 0 < f x.
Proof.
  intros D H0 Hg x Hx.
  destruct (MVT_cor2 f g 0 x Hx) as (c & E & Hc).
  - intros c Hc. apply is_derive_Reals, D. lra.
  - specialize (Hg c (proj1 Hc)). nra.
Qed.

Lemma exp_tangent t : 1 + t <= exp t.
Proof. destruct (Req_dec t 0) as [-> |H]; [rewrite exp_0; lra|]. left. now apply exp_ineq1. Qed.

Lemma exp_tangent_eq t : exp t = 1 + t -> t = 0.
Proof. intros H. destruct (Req_dec t 0) as [E|E]; [exact E|]. pose proof (exp_ineq1 t E). lra. Qed.

Lemma exp_below_1 x : 0 < x -> exp (- x) < 1.
Proof. intros Hx. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Lemma exp_multiple n x : exp (INR n * x) = exp x ^ n.
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.
Qed.

Definition psi x := x - 1 + exp (- x).
Definition dpsi x := 1 - exp (- x).

Lemma is_derive_psi x : is_derive psi x (dpsi x).
Proof. unfold psi, dpsi. auto_derive; auto. ring. Qed.

Lemma psi_0 : psi 0 = 0.
Proof. unfold psi. rewrite Ropp_0, exp_0. ring. Qed.

Lemma dpsi_pos x : 0 < x -> 0 < dpsi x.
Proof. intros Hx. unfold dpsi. pose proof (exp_below_1 x Hx). lra. Qed.

Lemma psi_pos x : 0 < x -> 0 < psi x.
Proof.
  apply (positive_by_derivative _ dpsi); [intros; apply is_derive_psi | rewrite psi_0; lra | apply dpsi_pos].
Qed.

Lemma psi_nonneg x : 0 <= psi x.
Proof. unfold psi. pose proof (exp_tangent (- x)). lra. Qed.

Lemma psi_zero x : psi x = 0 -> x = 0.
Proof. unfold psi. intros H. assert (- x = 0) by (apply exp_tangent_eq; lra). lra. Qed.

Lemma psi_upper x : 0 <= x -> psi x <= x ^ 2 / 2.
Proof.
  intros Hx. destruct (Req_dec x 0) as [-> |H]; [rewrite psi_0; lra|].
  assert (P : forall x, 0 < x -> 0 < x ^ 2 / 2 - psi x).
  { apply (positive_by_derivative _ psi); [|rewrite psi_0; lra | apply psi_pos].
    intros y _. unfold psi. auto_derive; auto. field. }
  assert (0 < x) as Hp by lra. specialize (P x Hp). lra.
Qed.

Lemma psi_lower x : 0 <= x -> x ^ 2 / 2 - x ^ 3 / 6 <= psi x.
Proof.
  intros Hx. destruct (Req_dec x 0) as [-> |H]; [rewrite psi_0; lra|].
  assert (P : forall x, 0 < x -> 0 < psi x - (x ^ 2 / 2 - x ^ 3 / 6)).
  { apply (positive_by_derivative _ (fun x => x ^ 2 / 2 - psi x)); [|rewrite psi_0; lra|].
    - intros y _. unfold psi. auto_derive; auto. field.
    - apply (positive_by_derivative _ psi); [|rewrite psi_0; lra | apply psi_pos].
      intros y _. unfold psi. auto_derive; auto. field. }
  assert (0 < x) as Hp by lra. specialize (P x Hp). lra.
Qed.

Lemma limit_at_right (f : R -> R) p l : ex_derive f p -> f p = l -> filterlim f (at_right p) (locally l).
Proof. intros D <-. eapply filterlim_filter_le_1; [apply filter_le_within | exact (ex_derive_continuous f p D)]. Qed.

(* Coquelicot states equations of reals in its own structures, where [ring] and [field] do not see them. *)
Ltac real_equation := match goal with |- @eq _ ?a ?b => change (@eq R a b) end.
