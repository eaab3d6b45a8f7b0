package route

import (
	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
)

const (
	// MaxEvent is the longest body of a webhook.
	MaxEvent     = 1 << 20
	maxSignature = 8 << 10
)

// Event reads a webhook's body byte for byte, because that is what was signed.
func Event(c *gin.Context) ([]byte, error) { return jsonbody.Raw(c.Writer, c.Request, MaxEvent) }

// Signature reads the header with a webhook's signature.
func Signature(c *gin.Context, header string) (string, error) {
	return OnlyHeader(c, "signature", header, maxSignature)
}

// OnlyHeader reads a header that must be given exactly once, in printable ASCII; name is the
// name of the fault's field.
func OnlyHeader(c *gin.Context, name, header string, maxBytes int) (string, error) {
	values := c.Request.Header.Values(header)
	if len(values) != 1 || values[0] == "" || len(values[0]) > maxBytes || !isPrintable(values[0]) {
		return "", Invalid(name, "is not given exactly once in "+header)
	}
	return values[0], nil
}
