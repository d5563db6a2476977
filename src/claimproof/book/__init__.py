"""The book: errata, claim index and site pages, made from the ledger and the notebooks."""
