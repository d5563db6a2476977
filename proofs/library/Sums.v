(* Sums and products over the pages 0, ..., N - 1. *)
From Proofs.library Require Export Calculus.

Fixpoint sum (N : nat) (f : nat -> R) : R := match N with O => 0 | S n => sum n f + f n end.
Fixpoint product (N : nat) (f : nat -> R) : R := match N with O => 1 | S n => product n f * f n end.

Lemma sum_same N f g : (forall i, (i < N)%nat -> f i = g i) -> sum N f = sum N g.
Proof. induction N as [|n IH]; simpl; intros H; [reflexivity|]. rewrite IH, H by auto. reflexivity. Qed.

Lemma sum_linear N a b f g : sum N (fun i => a * f i + b * g i) = a * sum N f + b * sum N g.
Proof. induction N as [|n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_scale N a f : sum N (fun i => a * f i) = a * sum N f.
Proof. induction N as [|n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_monotone N f g : (forall i, (i < N)%nat -> f i <= g i) -> sum N f <= sum N g.
Proof.
  induction N as [|n IH]; simpl; intros H; [lra|].
  assert (sum n f <= sum n g) by (apply IH; auto). specialize (H n (Nat.lt_succ_diag_r n)). lra.
Qed.

(* Between sums with summands in order, equality holds only if it does page by page. *)
Lemma sum_equal_only N f g : (forall i, (i < N)%nat -> f i <= g i) -> sum N f = sum N g ->
  forall i, (i < N)%nat -> f i = g i.
Proof.
  induction N as [|n IH]; simpl; intros H E i Hi; [lia|].
  assert (L : sum n f <= sum n g) by (apply sum_monotone; auto). pose proof (H n (Nat.lt_succ_diag_r n)).
  destruct (Nat.eq_dec i n) as [-> |Hn]; [lra|]. apply IH; [auto | lra | lia].
Qed.

Lemma sum_0 N f : (forall i, (i < N)%nat -> f i = 0) -> sum N f = 0.
Proof. induction N as [|n IH]; simpl; intros H; [reflexivity|]. rewrite IH, H by auto. ring. Qed.

Lemma sum_nonneg N f : (forall i, (i < N)%nat -> 0 <= f i) -> 0 <= sum N f.
Proof. intros H. rewrite <- (sum_0 N (fun _ => 0)) by auto. now apply sum_monotone. Qed.

Lemma sum_member N f i : (forall i, (i < N)%nat -> 0 <= f i) -> (i < N)%nat -> f i <= sum N f.
Proof.
  induction N as [|n IH]; simpl; intros H Hi; [lia|].
  assert (0 <= sum n f) by (apply sum_nonneg; auto). pose proof (H n (Nat.lt_succ_diag_r n)).
  destruct (Nat.eq_dec i n) as [-> |Hn]; [lra|]. assert (f i <= sum n f) by (apply IH; [auto | lia]). lra.
Qed.

Lemma sum_pos N f : (0 < N)%nat -> (forall i, (i < N)%nat -> 0 < f i) -> 0 < sum N f.
Proof.
  intros HN H. assert (f 0%nat <= sum N f) by (apply sum_member; [intros; left; auto | exact HN]).
  specialize (H 0%nat HN). lra.
Qed.

Lemma product_exp N f : product N (fun i => exp (f i)) = exp (sum N f).
Proof. induction N as [|n IH]; simpl; [now rewrite exp_0 | now rewrite IH, <- exp_plus]. Qed.

Lemma product_same N f g : (forall i, (i < N)%nat -> f i = g i) -> product N f = product N g.
Proof. induction N as [|n IH]; simpl; intros H; [reflexivity|]. rewrite IH, H by auto. reflexivity. Qed.
