package bus

// Decode is what a consumer reads a message with.
var Decode = decode
