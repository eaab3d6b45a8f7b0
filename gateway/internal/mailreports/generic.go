package mailreports

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/enum"
)

const (
	signatureHeader = "Fledge-Signature"
	// tolerance is how far a signature's time may be from ours, either way.
	tolerance = 5 * time.Minute
)

// generic takes reports in a form of our own, for providers without an adapter.
type generic struct {
	secrets config.Secret
	clock   clock.Clock
}

func (g generic) read(c *gin.Context) (r report, err error) {
	signature, err := route.Signature(c, signatureHeader)
	if err != nil {
		return r, err
	}
	raw, err := route.Event(c)
	if err != nil {
		return r, err
	}
	if err := g.verify(signature, raw); err != nil {
		return r, errSignature.Wrap(err)
	}
	var req wire.MailReports
	if err := jsonbody.Unmarshal(raw, &req); err != nil {
		return r, err
	}
	for _, e := range req.Events {
		if string(e.Kind) == deferred {
			r.count(deferred)
			continue
		}
		r.add(&mailv1.Event{
			Id: "generic/" + e.ID, Address: e.Email, Kind: enum.Of[mailv1.Kind](string(e.Kind)), Reason: reason(route.Value(e.Reason), route.Value(e.Reason)),
			At: at(e.At.Format(time.RFC3339Nano), g.clock),
		})
	}
	return r, nil
}

// verify takes "t=<seconds>,v1=<hex>": an HMAC with SHA-256 of the seconds, a dot and the body.
func (g generic) verify(signature string, raw []byte) error {
	var seconds string
	var given [][]byte
	for part := range strings.SplitSeq(signature, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			seconds = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				given = append(given, sum)
			}
		}
	}
	sent, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	if age := g.clock.Now().Sub(time.Unix(sent, 0)); age > tolerance || age < -tolerance {
		return errors.New("mailreports: the signature is of another time")
	}
	for _, secret := range g.secrets.Split() {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(seconds + "."))
		mac.Write(raw)
		for _, sum := range given {
			if hmac.Equal(sum, mac.Sum(nil)) {
				return nil
			}
		}
	}
	return errors.New("mailreports: another signature")
}
