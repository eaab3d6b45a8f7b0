// Package standins runs the stand-ins with the settings that a cluster gives them.
package standins
