// Claims of Google or Apple → our person. An address that the provider has not
// verified stops the sign-in here: leaving it out instead would make Kratos ask
// for it in a form, where anybody can type any address.
local claims = std.extVar('claims');
local get(name) = if std.objectHas(claims, name) then claims[name] else '';

local email =
  if get('email') != '' && get('email_verified') == true
  then std.asciiLower(get('email'))
  else error 'email_not_verified';

local name =
  if get('name') != '' then get('name')
  else std.join(' ', [part for part in [get('given_name'), get('family_name')] if part != '']);

{
  identity: {
    traits: { email: email } + (if name != '' then { name: std.substr(name, 0, 200) } else {}),
    verified_addresses: [{ via: 'email', value: email }],
  },
}
