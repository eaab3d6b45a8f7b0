// Package bench measures the product beside what limits it and what people would use
// instead, see deploy/bench/README.md.
//
// A figure alone tells about the machine. Here every figure is half of a pair: two
// loads run right after each other, several rounds in turn, and what counts is the
// middle one of the rounds' ratios.
package bench
