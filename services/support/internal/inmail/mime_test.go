package inmail_test

import (
	"strings"
	"testing"

	"fledge.dev/services/support/internal/inmail"
)

// TestCharsets that are not named, or not as they are.
func TestCharsets(t *testing.T) {
	for rest, want := range map[string]string{
		"Content-Type: text/plain; charset=iso-8859-1\n\nIt \x93stops\x94 \x96 always":    "It “stops” – always",
		"Content-Type: text/plain; charset=ISO-8859-1\n\n\x80 9":                          "€ 9",
		"Content-Type: text/plain; charset=csISOLatin1\n\n\x80 9":                         "€ 9",
		"Content-Type: text/plain; charset=ISO-8859-9\n\nI\xfe\xfdk \x80 9 \x93tamam\x94": "Işık € 9 “tamam”",
		"Content-Type: text/plain; charset=latin5\n\n\xddstanbul \x96 \xd0":               "İstanbul – Ğ",
		"Content-Type: text/plain; charset=iso-8859-11\n\n\xca\xc7\xd1\xca\xb4\xd5 \x80":  "สวัสดี €",
		"Content-Type: text/plain; charset=TIS-620\n\n\xca\xc7\xd1\xca\xb4\xd5 \x80":      "สวัสดี €",
		"Content-Type: text/plain; charset=euc-kr\n\n\x94\xee":                            "뷁",
		"Content-Type: text/plain; charset=ANSI_X3.4-1968\n\nGr\u00f6\u00dfe":             "Größe",
		"Content-Type: text/plain; charset=ANSI_X3.4-1968\n\nGr\xf6\xdfe":                 "Größe",
		"\nGr\xf6\xdfe": "Größe",
		"Content-Type: text/plain; charset=x-foo\n\nGr\xf6\xdfe":                                                               "Größe",
		"Content-Type: text/html; charset=x-foo\n\nGr\u00f6\u00dfe":                                                            "Größe",
		"Content-Type: text/plain\n\nGr\u00f6\u00dfe":                                                                          "Größe",
		"Content-Type: text/plain; charset=us-ascii\n\nGr\xf6\xdfe":                                                            "Größe",
		"Content-Type: text/plain; charset=US-ASCII\n\nGr\u00f6\u00dfe":                                                        "Größe",
		"Content-Type: text/plain\n\nSee <meta charset=koi8-r>: Gr\u00f6\u00dfe":                                               "See <meta charset=koi8-r>: Größe",
		"Content-Type: text/html\n\n<meta charset=koi8-r><p>\xf0\xd2\xcf\xdb\xd5</p>":                                          "Прошу",
		"Content-Type: text/html\n\n<meta http-equiv=Content-Type content=\"text/html; charset=utf-8\"><p>Gr\u00f6\u00dfe</p>": "Größe",
		"Content-Type: text/html\n\n<p>Gr\xf6\xdfe</p>":                                                                        "Größe",
		"Content-Type: text/html\n\n<p>" + strings.Repeat("x ", 1000) + "Gr\u00f6\u00dfe</p>":                                  strings.Repeat("x ", 1000) + "Größe",
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); err != nil || m.Text != want {
			t.Errorf("%q: %q, %v", rest, m.Text, err)
		}
	}
	long := strings.Repeat("日", 1<<18)
	if m, err := inmail.Parse(aMail("\n"+long), ours, toTicket); err != nil || !strings.HasPrefix(long, m.Text) || m.Text == "" {
		t.Errorf("a long text is not read as what it is: %v", err)
	}
	raw := strings.Replace(string(aMail("\nx")), "Help", "Gr\xf6\xdfe", 1)
	if m, err := inmail.Parse([]byte(raw), ours, toTicket); err != nil || m.Subject != "Größe" {
		t.Errorf("the subject is %q, %v", m.Subject, err)
	}
}

// TestCharsetsThatAreNotTrue: programs name one by default, whatever they send.
func TestCharsetsThatAreNotTrue(t *testing.T) {
	for rest, want := range map[string]string{
		"Content-Type: text/plain; charset=iso-8859-1\n\nGr\u00f6\u00dfe":             "Größe",
		"Content-Type: text/plain; charset=windows-1252\n\nGr\u00f6\u00dfe \u2013 退款": "Größe – 退款",
		"Content-Type: text/plain; charset=iso-8859-1\n\nGr\xf6\xdfe":                 "Größe",
		"Content-Type: text/plain; charset=utf-8\n\nGr\xf6\xdfe":                      "Größe",
		"Content-Type: text/plain; charset=utf-8\n\n\x1b$B%\"%W%j\x1b(B ok":           "アプリ ok",
		"\n\x1b$B%\"%W%j\x1b(B ok": "アプリ ok",
		"Content-Type: text/plain; charset=utf-8\n\nGr\u00f6\u00dfe \x1b$Bit":                       "Größe it",
		"Content-Type: text/plain; charset=gb2312\n\n\x95\x32\x82\x36\xcd\xcb\xbf\xee":              "𠀀退款",
		"Content-Type: text/plain; charset=ks_c_5601-1987\n\n\xc8\xaf\xba\xd2":                      "환불",
		"Content-Type: text/html; charset=iso-8859-1\n\n<p>Gr\u00f6\u00dfe</p>":                     "Größe",
		"Content-Type: text/html; charset=utf-8\n\n<meta charset=iso-8859-2><p>Gr\u00f6\u00dfe</p>": "Größe",
		"Content-Type: text/plain; charset='utf-8'\nContent-Transfer-Encoding: 8BIT\n\nGr\u00f6e":   "Gröe",
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); err != nil || m.Text != want {
			t.Errorf("%q: %q, %v", rest, m.Text, err)
		}
	}
}
