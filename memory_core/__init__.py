"""Wellkept's library: what memory is; it never imports Prefect."""
