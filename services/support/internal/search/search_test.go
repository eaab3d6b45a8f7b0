package search_test

import (
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/support/internal/search"
)

func TestPeopleFindWhatOthersWrote(t *testing.T) {
	for typed, written := range map[string]string{
		"café":           "Un CAFE\u0301 noir",
		"cafe\u0301":     "Un café noir",
		"GRÖSSE":         "Größe falsch",
		"größe":          "GRÖẞE FALSCH",
		"возврат":        "Прошу ВОЗВРАТ денег",
		"ΟΔΟΣ":           "οδός οδος",
		"istanbul":       "İSTANBUL",
		"退款":             "我想要退款，谢谢",
		"ﾊﾟｿｺﾝ":          "パソコンが動かない",
		"office":         "the oﬃce app",
		"in two":         "nothing special in \n\n two lines",
		"password":       "pass\u200bword and soft\u00adhyphen",
		"softhyphen":     "pass\u200bword and soft\u00adhyphen",
		"a&b":            "R&D and A&B",
		"%":              "100% of it",
		"zq":             "the word zq",
		"ก":              "กำลังโหลด",
		"👩‍💻":            "I am a 👩‍💻",
		"❤":              "I ❤\ufe0f it",
		"❤\ufe0f it":     "I ❤ it",
		"it's; drop":     "It's; DROP TABLE",
		"it doesn't":     "It doesn’t work",
		"it doesn’t":     "It doesn't work",
		"l'app":          "Lʼapp s‘arrête",
		`says "no"`:      "It says “no”",
		`"nein"`:         "„nein“ »ja«",
		`"non"`:          "«non»",
		"1.2-1.4":        "versions 1.2–1.4",
		"e-mail - now":   "e\u2011mail — now",
		"-5":             "it says \u22125",
		"ada@example.co": "ADA@EXAMPLE.COM",
		"ich bin größer": "Ob\u00a0ICH\u2009BIN  GRÖẞER?",
	} {
		document, words := search.Document([]string{"TKT-000001", written}), search.Fold(typed)
		if !strings.Contains(document, words) {
			t.Errorf("%q is not in %q", words, document)
		}
		grams := search.Grams(document)
		for _, g := range append(search.GramsOf(words), search.JoinsOf(words)...) {
			if _, found := slices.BinarySearch(grams, g); !found {
				t.Errorf("%q: a gram is missing", typed)
			}
		}
		if snippet, found := search.Snippet(written, words, 10); !found || snippet == "" {
			t.Errorf("%q has no snippet in %q", typed, written)
		}
	}
}

func TestTextsDoNotRunTogether(t *testing.T) {
	document := search.Document([]string{"plain", "nothing"})
	if strings.Contains(document, search.Fold("plain nothing")) || strings.Contains(document, search.Fold("plainnothing")) {
		t.Errorf("%q", document)
	}
	grams := search.Grams(document)
	if _, found := slices.BinarySearch(grams, search.GramsOf("nno")[0]); found {
		t.Error("a gram reaches from one text into the next")
	}
}

// TestWordsThatNeverMeet have a part that no text with both has.
func TestWordsThatNeverMeet(t *testing.T) {
	grams := search.Grams(search.Document([]string{"We looked at it. Send us the äußere Größe."}))
	for words, meet := range map[string]bool{
		"send us": true, "nd us th": true, "äußere größe": true, "looked us": false, "größe us": false, "looked at it. send": true,
	} {
		joins := search.JoinsOf(search.Fold(words))
		all := len(joins) > 0
		for _, join := range joins {
			_, found := slices.BinarySearch(grams, join)
			all = all && found
		}
		if all != meet {
			t.Errorf("%q: %t", words, all)
		}
	}
	for _, words := range []string{"looked", "a b", "xy z", "x yz", ""} {
		if joins := search.JoinsOf(words); len(joins) > 0 {
			t.Errorf("%q has %d joins", words, len(joins))
		}
	}
}

func TestSnippetsShowTheHitAsItWasWritten(t *testing.T) {
	long := strings.Repeat("before ", 20) + "the GRÖSSE\nis wrong" + strings.Repeat(" after", 20)
	for _, tt := range []struct{ text, words, want string }{
		{long, "größe", "…fore before the GRÖSSE is wrong after…"},
		{"Größe", "grösse", "Größe"},
		{"x cafe\u0301 y", "café", "x cafe\u0301 y"},
		{"it doesn’t – work", "doesn't - w", "it doesn’t – work"},
	} {
		if got, found := search.Snippet(tt.text, search.Fold(tt.words), 16); !found || got != tt.want {
			t.Errorf("%q, %t, want %q", got, found, tt.want)
		}
	}
	if _, found := search.Snippet("something", "else", 10); found {
		t.Error("found what is not there")
	}
}

// FuzzSnippet: whatever was written and is searched for, what a document contains is found by its
// grams and has a snippet.
func FuzzSnippet(f *testing.F) {
	f.Add("Größe falsch", 2, 5)
	f.Add("İİ\u0307 e\u0301\u200b \n x", 1, 3)
	f.Fuzz(func(t *testing.T, text string, from, size int) {
		folded := search.Fold(text)
		runes := []rune(folded)
		if from < 0 || size < 1 || from >= len(runes) || size > len(runes)-from {
			return
		}
		words := string(runes[from : from+size])
		grams := search.Grams(search.Document([]string{text}))
		for _, g := range append(search.GramsOf(words), search.JoinsOf(words)...) {
			if _, found := slices.BinarySearch(grams, g); !found {
				t.Errorf("a gram of %q is missing", words)
			}
		}
		if _, found := search.Snippet(text, words, 5); !found {
			t.Errorf("%q has no snippet in %q", words, text)
		}
	})
}
