"""Who may use the dashboard: logins with tokens, users that a proxy names, roles, rate limits, the audit log.

`settings.AccessSettings` are the options of `deadheat serve`, and `settings.make_access` makes an
`services.AccessControl` of them. `guard.AccessGuard` runs before every route of the route table.
"""
