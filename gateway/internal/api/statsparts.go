package api

import "fledge.dev/gateway/internal/jsonbody"

// The parts of the other services.

type ticketStats struct {
	Open struct {
		Urgent int64 `json:"urgent"`
		High   int64 `json:"high"`
		Medium int64 `json:"medium"`
		Low    int64 `json:"low"`
	} `json:"open"`
	Days []ticketDay `json:"days"`
}

type ticketDay struct {
	Day      string `json:"day"`
	Created  int64  `json:"created"`
	Resolved int64  `json:"resolved"`
}

type subscriptionStats struct {
	Active    int64       `json:"active"`
	Cancelled int64       `json:"cancelled"`
	PastDue   int64       `json:"past_due"`
	Plans     []planCount `json:"plans"`
}

type planCount struct {
	Name   string `json:"name"`
	Active int64  `json:"active"`
}

type creditStats struct {
	Spent jsonbody.Decimal `json:"spent"`
	Days  []creditDay      `json:"days"`
}

type creditDay struct {
	Day   string           `json:"day"`
	Spent jsonbody.Decimal `json:"spent"`
}

type downloadTotals struct {
	Total    int64           `json:"total"`
	Days     []downloadDay   `json:"days"`
	Versions []downloadCount `json:"versions"`
}

type downloadDay struct {
	Day   string `json:"day"`
	Total int64  `json:"total"`
}

type downloadCount struct {
	Version string `json:"version"`
	Total   int64  `json:"total"`
}
