package stacktest

// NoLimits are settings of the gateway with which one address may do what hundreds
// of people do.
func NoLimits() (settings []string) {
	const many = "100000000"
	settings = append(settings, "MAX_IN_FLIGHT_PER_CLIENT="+many, "MAX_WEBHOOKS_IN_FLIGHT_PER_CLIENT="+many)
	for _, limit := range []string{"RATE", "SIGN_UP", "SIGN_IN", "SESSION", "TOKEN", "CHECKOUT", "CHECKOUT_SYNC"} {
		settings = append(settings, limit+"_LIMIT_PER_MINUTE="+many, limit+"_LIMIT_BURST="+many)
	}
	return settings
}
