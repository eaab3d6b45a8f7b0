// What the identity service is told about a flow. A missing field would drop
// the whole call silently, so whatever may be absent is asked for first.
// Cookies and headers stay out: the receiver has no need for them.
function(ctx)
  local session = if 'session' in ctx then ctx.session else null;
  local identity = ctx.identity;
  local addresses =
    if 'verifiable_addresses' in identity && identity.verifiable_addresses != null
    then identity.verifiable_addresses
    else [];
  local path = std.split(std.split(ctx.request_url, '?')[0], '/');
  {
    flow_id: ctx.flow.id,
    provider: path[std.length(path) - 1],
    identity: {
      id: identity.id,
      traits: if 'email' in identity.traits then { email: identity.traits.email } else {},
      verifiable_addresses: [{ value: a.value, verified: a.verified } for a in addresses],
    },
    authenticated_at: if session == null then null else session.authenticated_at,
  }
