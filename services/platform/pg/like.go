package pg

import "strings"

// Containing returns the LIKE pattern for what contains part, each character of
// which is taken literally.
func Containing(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part) + "%"
}
