package stack

// SignUpsTold is a query for the waitlist's database: the user_id of everybody of whom its
// events tell that they joined, as often as they do. An event tells of many; in its payload
// an id of 36 characters comes after the tag and the length of its field.
const SignUpsTold = `SELECT told[1] AS user_id FROM outbox,
	regexp_matches(encode(payload, 'escape'), '\n\$([0-9a-f-]{36})', 'g') AS told
	WHERE type = 'fledge.waitlist.v1.users.joined'`
