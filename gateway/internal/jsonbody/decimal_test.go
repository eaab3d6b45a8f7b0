package jsonbody_test

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/services/platform/fault"
)

type spend struct {
	Amount *jsonbody.Decimal `json:"amount"`
}

func TestDecimalReadsTheTextOfNumbers(t *testing.T) {
	for text, want := range map[string]jsonbody.Decimal{
		"0": 0, "-0": 0, "0.00": 0, "0e9": 0, "0e-9": 0, "1": 100, "-1": -100, "0.01": 1, "-0.05": -5, "12.34": 1234, "12.3": 1230, "12.3400": 1234, "1e2": 10000,
		"1E+2": 10000, "1.234e1": 1234, "1234e-2": 1234, "100e-4": 1, "0.29": 29, "1.15": 115, "4.35": 435, "1.1": 110, "100000": 10_000_000,
		"9999999999999.99": 999_999_999_999_999,
	} {
		var got spend
		if err := jsonbody.Unmarshal([]byte(`{"amount":`+text+`}`), &got); err != nil || got.Amount == nil || *got.Amount != want {
			t.Errorf("%s: %v, %v", text, got.Amount, err)
		}
	}
	for _, body := range []string{`{}`, `{"amount":null}`} {
		var got spend
		if err := jsonbody.Unmarshal([]byte(body), &got); err != nil || got.Amount != nil {
			t.Errorf("%s: %v, %v", body, got.Amount, err)
		}
	}
}

func TestDecimalRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"0.001": "invalid_number", "1.005": "invalid_number", "-0.001": "invalid_number", "1e-3": "invalid_number", "1e-4": "invalid_number", "1e-15": "invalid_number", "0.1e-2": "invalid_number",
		"12.345": "invalid_number", "1e400": "invalid_number", "1e-400": "invalid_number", "1e99999999999999999999": "invalid_number",
		"9223372036854775807": "invalid_number", "99999999999999999999": "invalid_number", "1e15": "invalid_number",
		strings.Repeat("9", 10_000): "invalid_number", "0." + strings.Repeat("0", 10_000) + "1": "invalid_number",
		`"1"`: "invalid_type", `""`: "invalid_type", `true`: "invalid_type", `[1]`: "invalid_type", `{}`: "invalid_type", `{"$gt":0}`: "invalid_type",
		"01": "invalid_json", "+1": "invalid_json", ".5": "invalid_json", "1.": "invalid_json", "NaN": "invalid_json", "0x10": "invalid_json", "1_000": "invalid_json",
	} {
		var got spend
		err := jsonbody.Unmarshal([]byte(`{"amount":`+text+`}`), &got)
		if err == nil || fault.Of(err).Reason != reason {
			t.Errorf("%.40s: %v, %v", text, got.Amount, err)
		}
	}
}

func TestDecimalWritesTheShortestForm(t *testing.T) {
	for n, want := range map[jsonbody.Decimal]string{
		0: "0", 5: "0.05", 10: "0.1", 29: "0.29", 100: "1", 5000: "50", 1234: "12.34", 1250: "12.5", -5: "-0.05", -1234: "-12.34",
		9223372036854775807: "92233720368547758.07", -9223372036854775808: "-92233720368547758.08",
	} {
		if got, err := json.Marshal(n); err != nil || string(got) != want {
			t.Errorf("%d: %s, %v", int64(n), got, err)
		}
	}
}

// FuzzDecimal holds what is read against exact arithmetic, and what is written
// against what is read.
func FuzzDecimal(f *testing.F) {
	for _, text := range []string{"0", "-1", "1e2", "1.005", "12.34", "1234e-2", "0.29", "1e15", "-0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got spend
		if len(text) > 64 || jsonbody.Unmarshal([]byte(`{"amount":`+text+`}`), &got) != nil || got.Amount == nil {
			return
		}
		exact, ok := new(big.Rat).SetString(strings.TrimSpace(text))
		if !ok || exact.Mul(exact, big.NewRat(100, 1)).Cmp(new(big.Rat).SetInt64(int64(*got.Amount))) != 0 {
			t.Fatalf("%s became %s hundredths", text, strconv.FormatInt(int64(*got.Amount), 10))
		}
		written, _ := json.Marshal(*got.Amount)
		var again jsonbody.Decimal
		if err := json.Unmarshal(written, &again); err != nil || again != *got.Amount {
			t.Fatalf("%s is written %s: %v", text, written, err)
		}
	})
}
