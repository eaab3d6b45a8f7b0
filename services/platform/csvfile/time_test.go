package csvfile_test

import (
	"errors"
	"testing"
	"time"

	"fledge.dev/services/platform/csvfile"
)

func TestParsePastReadsWhatOtherToolsWrite(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-11-20T09:30:00.123456Z":             "2026-11-20T09:30:00.123456Z", // ours
		"2026-11-20T09:30:00+02:00":               "2026-11-20T07:30:00Z",
		"2026-11-20T09:30:00":                     "2026-11-20T09:30:00Z",
		"2026-11-20 09:30:00":                     "2026-11-20T09:30:00Z", // Mailchimp, Typeform
		"2026-11-20":                              "2026-11-20T00:00:00Z",
		"2026/11/20 9:30:05 PM GMT+2":             "2026-11-20T19:30:05Z", // Google Forms
		"20.11.2026 09:30":                        "2026-11-20T09:30:00Z", // a German spreadsheet
		"20.11.26 09:30":                          "2026-11-20T09:30:00Z",
		"11/20/26 21:30":                          "2026-11-20T21:30:00Z", // Microsoft Forms
		"4/3/2026 9:30:05":                        "2026-04-03T09:30:05Z",
		"2026-11-20 09:30:00 UTC":                 "2026-11-20T09:30:00Z",
		"Nov 20, 2026":                            "2026-11-20T00:00:00Z",
		"20 Nov 2026 09:30":                       "2026-11-20T09:30:00Z",
		" 2026-11-20 09:30:00 +0100 ":             "2026-11-20T08:30:00Z",
		"11/20/2026 9:30pm":                       "2026-11-20T21:30:00Z",
		"2026-11-20 09:30:00+00":                  "2026-11-20T09:30:00Z", // PostgreSQL
		"2026-11-20 09:30:00.25-05":               "2026-11-20T14:30:00.25Z",
		"2026-11-20T09:30:00+0000":                "2026-11-20T09:30:00Z",
		"2026-11-20 09:30:00 +0000 UTC":           "2026-11-20T09:30:00Z",
		"November 20, 2026 9:30 PM":               "2026-11-20T21:30:00Z", // Notion
		"Friday, November 20, 2026 at 9:30 PM":    "2026-11-20T21:30:00Z",
		"20 Sept. 2026":                           "2026-09-20T00:00:00Z",
		"20-Nov-2026":                             "2026-11-20T00:00:00Z",
		"Fri, 20 Nov 2026 09:30:00 GMT":           "2026-11-20T09:30:00Z",
		"Fri Nov 20 2026 09:30:00 GMT+0100 (CET)": "2026-11-20T08:30:00Z", // a browser's toString
		"1795167000":                              "2026-11-20T09:30:00Z",
		"1795167000250":                           "2026-11-20T09:30:00.25Z",
		"11/20/2026, 9:30:05 PM":                  "2026-11-20T21:30:05Z", // a browser's toLocaleString, with a comma
		"11/20/2026, 9:30:05\u202fPM":             "2026-11-20T21:30:05Z", // and with a narrow space
		"46012":                                   "2025-12-21T00:00:00Z", // a spreadsheet's day
		"46346.3958333333":                        "2026-11-20T09:30:00Z",
		"46346,395833":                            "2026-11-20T09:30:00Z",
		"36526":                                   "2000-01-01T00:00:00Z",
		"20. November 2026 um 21:30":              "2026-11-20T21:30:00Z",
		"Freitag, 20. Nov. 2026":                  "2026-11-20T00:00:00Z",
		"1. März 2026":                            "2026-03-01T00:00:00Z",
		"le 1er août 2026 à 09:30":                "2026-08-01T09:30:00Z",
		"ven. 20 févr. 2026 à 9h30":               "2026-02-20T09:30:00Z",
		"20-nov.-26":                              "2026-11-20T00:00:00Z",
		"viernes, 20 de noviembre de 2026":        "2026-11-20T00:00:00Z",
		"mar. 3 févr. 2026":                       "2026-02-03T00:00:00Z",
		"mar, 3 de feb de 2026":                   "2026-02-03T00:00:00Z",
		"mar. 03/02/2026 9:30":                    "2026-03-02T09:30:00Z",
		"mar. 03.02.2026 9:30":                    "2026-02-03T09:30:00Z",
		"2026年11月20日（金） 9:30":                     "2026-11-20T09:30:00Z",
		"2026年11月20日 周五 9:30":                     "2026-11-20T09:30:00Z",
		"Fri 2026-11-20 09:30:00 UTC":             "2026-11-20T09:30:00Z",
		"Fri 11/20/26 21:30":                      "2026-11-20T21:30:00Z",
		"20.11.2026 klo 9.30":                     "2026-11-20T09:30:00Z",
		"20 nov 2026":                             "2026-11-20T00:00:00Z",
		"sexta-feira, 20 de fev. de 2026":         "2026-02-20T00:00:00Z",
		"20 mei 2026 om 21:30":                    "2026-05-20T21:30:00Z",
		"20 lis 2025 21:30":                       "2025-11-20T21:30:00Z",
		"20 октября 2026 г. в 21:30":              "2026-10-20T21:30:00Z",
		"20. 11. 2026 9:30:05":                    "2026-11-20T09:30:05Z", // Czech
		"20. 11. 2026. 9:30:05":                   "2026-11-20T09:30:05Z", // Croatian
		"20.11.2026.":                             "2026-11-20T00:00:00Z",
		"20.11.2026 г., 9:30":                     "2026-11-20T09:30:00Z", // Bulgarian
		"20. února 2026 v 21:30":                  "2026-02-20T21:30:00Z",
		"20 febbraio 2026 alle ore 21:30":         "2026-02-20T21:30:00Z",
		"fredag den 20. november 2026 kl. 21.30":  "2026-11-20T21:30:00Z",
		"2026. 11. 20. 9:30:05":                   "2026-11-20T09:30:05Z", // Hungarian
		"2026. 11. 20 오후 9:30:05":                 "2026-11-20T21:30:05Z", // a Korean form
		"2026/11/20 下午9:30:05":                    "2026-11-20T21:30:05Z",
		"2026年11月20日":                             "2026-11-20T00:00:00Z",
		"2026年11月20日(金) 9:30":                     "2026-11-20T09:30:00Z",
		"2026/11/20(金) 9:30:05":                   "2026-11-20T09:30:05Z",
		"2026年11月20日星期五":                          "2026-11-20T00:00:00Z",
		"2026년 11월 20일 금요일":                       "2026-11-20T00:00:00Z",
		"2026-11-21 10:00":                        "2026-11-21T08:00:00Z", // a moment ago in Berlin
		"2026-11-21T21:59":                        "2026-11-21T08:00:00Z", // and in Auckland
	} {
		got, err := csvfile.ParsePast(text, false, now)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %s, %v; want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
	for _, text := range []string{"4/3/2026 21:30:05", "4/3/2026 9:30:05 p.\u00a0m.", "4/3/2026 21.30.05"} { // a Spanish and an Italian spreadsheet
		if got, err := csvfile.ParsePast(text, true, now); err != nil || got.Format(time.DateTime) != "2026-03-04 21:30:05" {
			t.Errorf("%q with the day first is %s, %v", text, got, err)
		}
	}
	for text, want := range map[string]error{
		"yesterday": csvfile.ErrNoTime, "13/13/2026": csvfile.ErrNoTime, "1/1/0001": csvfile.ErrNoTime, "2026-02-30": csvfile.ErrNoTime, "36525": csvfile.ErrNoTime, "73051": csvfile.ErrNoTime, "46012.": csvfile.ErrNoTime, "73050": csvfile.ErrAhead, "20-11-05": csvfile.ErrNoTime, "11-2-26": csvfile.ErrNoTime, "2026-11-20 09:30 CST": csvfile.ErrNoTime, "Marble 20, 2026": csvfile.ErrNoTime, "Order 1795167000": csvfile.ErrNoTime, "macOS 14.6.25": csvfile.ErrNoTime, "2026.11.2034": csvfile.ErrNoTime, "491701234567": csvfile.ErrNoTime,
		"2026-11-22": csvfile.ErrAhead, "2026-11-21 22:01": csvfile.ErrAhead, "2026-11-21 09:01 GMT+1": csvfile.ErrAhead, "2026-11-21T10:00:00+01:00": csvfile.ErrAhead,
	} {
		if _, err := csvfile.ParsePast(text, false, now); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
