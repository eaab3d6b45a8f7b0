package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/fault"
)

const queryKey = "query"

var errInvalidQuery = fault.New(fault.Invalid, "invalid_query", "The address has parameters that cannot be read.")

// checkQuery refuses queries that two parsers could read differently, and those with other
// parameters than these, or with one of them twice.
func checkQuery(names []string) gin.HandlerFunc {
	return func(c *gin.Context) {
		query, err := url.ParseQuery(c.Request.URL.RawQuery)
		if err != nil {
			problem.Write(c, errInvalidQuery.Wrap(err))
			return
		}
		for name, values := range query {
			switch {
			case !slices.Contains(names, name):
				problem.Write(c, fault.New(fault.Invalid, "unknown_parameter", "The address has a parameter that it does not take."))
				return
			case len(values) > 1:
				problem.Write(c, errInvalidQuery.Field(name, "is given more than once"))
				return
			case !isText(values[0]):
				problem.Write(c, errInvalidQuery.Field(name, "contains characters that are not allowed"))
				return
			}
		}
		c.Set(queryKey, query)
	}
}

// query is the checked query.
func query(c *gin.Context) url.Values {
	values, _ := c.MustGet(queryKey).(url.Values)
	return values
}

// isText reports whether s is valid UTF-8 without NUL, which PostgreSQL cannot
// store.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// invalid is the fault for one field or parameter.
func invalid(name, message string) error {
	return fault.New(fault.Invalid, "invalid_"+snake(name), sentence(name, message)).Field(name, message)
}

func sentence(name, message string) string { return "The value of " + name + " " + message + "." }

// snake turns a lowerCamelCase name into the lower_snake_case of codes.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// maxLength refuses values of more than n characters.
func maxLength(name, value string, n int) error {
	if utf8.RuneCountInString(value) > n {
		return invalid(name, "is longer than "+strconv.Itoa(n)+" characters")
	}
	return nil
}

// uuidParam reads a UUID in its canonical form.
func uuidParam(name, value string) (string, error) {
	id, err := uuid.Parse(value)
	if err != nil || id.String() != strings.ToLower(value) {
		return "", invalid(name, "is not a UUID")
	}
	return id.String(), nil
}
