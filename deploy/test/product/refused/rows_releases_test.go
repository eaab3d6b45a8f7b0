package refused

import "strings"

func releasesRows() (rows []row) {
	const toggle, rollout, channel = "/api/toggle-release-availability", "/api/set-release-rollout", "/api/set-release-channel"
	const required, link = "/api/set-release-required", "/api/create-preview-link"
	for path, rest := range map[string]string{toggle: `"isAvailable":true}`, rollout: `"percentage":1}`, channel: `"channel":"beta"}`, required: `"isRequired":true}`, link: `"days":7}`} {
		for _, id := range []string{"null", "0", "-1"} {
			rows = append(rows, post("admin", path, `{"releaseId":`+id+`,"version":"1.2.3",`+rest, "releaseId"))
		}
		for _, version := range []string{`null`, `""`, `"latest"`, `"1.2"`, `"` + strings.Repeat("1", 10_001) + `"`} {
			rows = append(rows, post("admin", path, `{"releaseId":1,"version":`+version+`,`+rest, "version"))
		}
	}
	for _, percentage := range []string{"null", "-1", "101"} {
		rows = append(rows, post("admin", rollout, `{"releaseId":1,"version":"1.2.3","percentage":`+percentage+`}`, "percentage"))
	}
	for _, percentage := range []string{"0", "1"} {
		rows = append(rows, post("admin", rollout, `{"releaseId":1,"version":"1.2.3","rises":true,"percentage":`+percentage+`}`, "percentage"))
	}
	for path, most := range map[string]string{"/api/get-download-stats": "366", "/api/get-version-usage": "91"} {
		for _, days := range []string{"", "0", "1.5", most} {
			rows = append(rows, get("admin", path, "days", days))
		}
	}
	for _, value := range []string{"null", `""`, `"latest"`} {
		rows = append(rows, post("admin", channel, `{"releaseId":1,"version":"1.2.3","channel":`+value+`}`, "channel"))
	}
	for _, days := range []string{"null", "0", "31"} {
		rows = append(rows, post("admin", link, `{"releaseId":1,"version":"1.2.3","days":`+days+`}`, "days"))
	}
	for _, id := range []string{"null", "0", "-1"} {
		rows = append(rows, post("admin", "/api/revoke-preview-link", `{"linkId":`+id+`}`, "linkId"))
	}
	rows = append(rows, get("admin", "/api/get-preview-links", "version", "latest"), get("admin", "/api/get-person-channel", "userId", "ann"))
	const give, somebody = "/api/set-person-channel", `{"userId":"5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d",`
	rows = append(rows, post("admin", give, `{"userId":"ann","channel":"beta","reason":"because"}`, "userId"))
	for _, value := range []string{"null", `""`, `"latest"`} {
		rows = append(rows, post("admin", give, somebody+`"channel":`+value+`,"reason":"because"}`, "channel"))
	}
	for _, reason := range []string{"null", `""`, `"` + strings.Repeat("x", 501) + `"`} {
		rows = append(rows, post("admin", give, somebody+`"channel":"beta","reason":`+reason+`}`, "reason"))
	}
	for parameter, value := range map[string]string{"stagingId": strings.Repeat("x", 65), "channel": "latest", "arch": "ppc", "version": "1.2"} {
		rows = append(rows, get("admin", "/api/explain-update", parameter, value))
	}
	return append(rows, post("admin", toggle, `{"releaseId":1,"version":"1.2.3"}`, "isAvailable"),
		post("admin", required, `{"releaseId":1,"version":"1.2.3"}`, "isRequired"))
}
