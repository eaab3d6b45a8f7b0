package route

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
)

const queryKey = "query"

// IsForm reports whether a request's body is a form as browsers and OAuth libraries send it.
func IsForm(r *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && mediaType == "application/x-www-form-urlencoded" && r.Header.Get("Content-Encoding") == ""
}

var errInvalidQuery = fault.New(fault.Invalid, "invalid_query", "The address has parameters that cannot be read.")

// CheckQuery refuses queries that two parsers could read differently, and those with other
// parameters than these, or with one of them twice.
func CheckQuery(names []string) gin.HandlerFunc {
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
				problem.Write(c, errInvalidQuery.Field(name, about(name)+"is given more than once."))
				return
			case !IsText(values[0]):
				problem.Write(c, errInvalidQuery.Field(name, about(name)+"contains characters that are not allowed."))
				return
			}
		}
		c.Set(queryKey, query)
	}
}

// Query is the checked query.
func Query(c *gin.Context) url.Values {
	values, _ := c.MustGet(queryKey).(url.Values)
	return values
}

// IsText reports whether s is valid UTF-8 without NUL, which PostgreSQL cannot
// store.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Invalid is the fault for one field or parameter; what is wrong goes on from its name.
func Invalid(name, what string) error {
	sentence := about(name) + what + "."
	return fault.New(fault.Invalid, "invalid_"+snake(name), sentence).Field(name, sentence)
}

// about is how a sentence about a field begins, in the services, too.
func about(name string) string { return "The value of " + name + " " }

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

// MaxLength refuses values of more than n characters.
func MaxLength(name, value string, n int) error {
	if utf8.RuneCountInString(value) > n {
		return Invalid(name, "is longer than "+strconv.Itoa(n)+" characters")
	}
	return nil
}

// Needed refuses a value that is missing, empty or longer than n characters.
func Needed(name, value string, n int) error {
	if value == "" {
		return Invalid(name, "is missing")
	}
	return MaxLength(name, value, n)
}

// Value is the value of an optional field, or the zero value.
func Value[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}

// Int reads a number for a service that takes 0 for none; a missing parameter is fallback.
func Int(c *gin.Context, name string, fallback int32) (int32, error) {
	if !Query(c).Has(name) {
		return fallback, nil
	}
	n, err := strconv.ParseInt(Query(c).Get(name), 10, 32)
	if err != nil || n < 1 {
		return 0, Invalid(name, "is not a whole number above 0")
	}
	return int32(n), nil
}

// wrong is a number that no service takes where it takes enums, counts or versions.
const wrong = -1

// Enum is the value of that name; "" is the unspecified one. A name that the enum does not have
// becomes a wrong number: only the service can say which of the names it takes here.
func Enum[E enum.Enum, S ~string](given S) E {
	value := enum.Of[E](given)
	if value == 0 && given != "" {
		return wrong
	}
	return value
}

// GivenEnum is Enum for a field that may be left out, where "" is a wrong name.
func GivenEnum[E enum.Enum, S ~string](given *S) E {
	if given != nil && *given == "" {
		return wrong
	}
	return Enum[E](Value(given))
}

// Given is a number for a service that takes 0 for none. A caller who sends 0 has not left the
// number out, so that it becomes a wrong one.
func Given[N int32 | int64](number *N) N {
	switch {
	case number == nil:
		return 0
	case *number == 0:
		return wrong
	}
	return *number
}

// Filter reads a parameter that names an enum's value. Without it, and with "all", the list
// is not restricted. It refuses other names itself, because services do not know "all".
func Filter[E enum.Enum](c *gin.Context, name string) (E, error) {
	const all = "all"
	given := Query(c).Get(name)
	if given == "" || given == all {
		return 0, nil
	}
	value := enum.Of[E](given)
	if value == 0 {
		return 0, Invalid(name, "is not "+choice(append([]string{all}, enum.Names[E]()...)))
	}
	return value, nil
}

// choice lists names as a sentence does: "a, b or c".
func choice(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Time reads an RFC 3339 time; nil if there is none.
func Time(name string, given *string) (*timestamppb.Timestamp, error) {
	if given == nil {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, *given)
	if err != nil {
		return nil, Invalid(name, "is not a time such as 2026-11-21T09:30:00Z")
	}
	return timestamppb.New(at), nil
}

// UUID reads a UUID in its canonical form.
func UUID(name, value string) (string, error) {
	id, ok := text.UUID(value)
	if !ok {
		return "", Invalid(name, "is not a UUID")
	}
	return id.String(), nil
}

// CallerID is the account of the bearer.
func CallerID(c *gin.Context) string {
	p, _ := authn.FromContext(c.Request.Context())
	return p.UserID
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
