"""The engines that make evidence; each returns it or raises, and can say that it cannot tell."""
