package bus

import "flag"

// Decode is what a consumer reads a message with.
var Decode = decode

// Few is how many events the tests at scale send unless Many says otherwise.
const Few = 300

// Many is how many events the tests at scale send.
var Many = flag.Int("events", Few, "how many events the tests at scale send")
