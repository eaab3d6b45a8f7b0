// Claims of Google or Apple → our person. An address that the provider has not
// verified stops the sign-in here: leaving it out instead would make Kratos ask
// for it in a form, where anybody can type any address.
local claims = std.extVar('claims');
local get(name) = if std.objectHas(claims, name) then claims[name] else '';

// In front of the @ an address is ASCII (services/platform/address): Kratos lower-cases the
// rest by Unicode's rules, which makes k of K (the Kelvin sign), and so another mailbox.
local isASCII(text) = std.length([c for c in std.stringChars(text) if std.codepoint(c) > 127]) == 0;

local email =
  if get('email') != '' && get('email_verified') == true && isASCII(std.split(get('email'), '@')[0])
  then std.asciiLower(get('email'))
  else error 'email_not_verified';

{
  identity: {
    traits: { email: email },
    verified_addresses: [{ via: 'email', value: email }],
  },
}
