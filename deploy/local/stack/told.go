package stack

// SignUpsTold is a query for the waitlist's database: the user_id of each sign-up that its
// events announce, once for each announcement. An event announces many; in its payload an
// id of 36 characters follows the tag and the length of its field.
const SignUpsTold = `SELECT told[1] AS user_id FROM outbox,
	regexp_matches(encode(payload, 'escape'), '\n\$([0-9a-f-]{36})', 'g') AS told
	WHERE type = 'fledge.waitlist.v1.users.joined'`
