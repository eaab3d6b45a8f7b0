package mac

// codeGrant and refreshGrant are the two bodies of POST /api/auth/token.
type codeGrant struct {
	GrantType   string `json:"grant_type"`
	Code        Secret `json:"code"`
	Verifier    Secret `json:"code_verifier"`
	RedirectURI string `json:"redirect_uri"`
	DeviceName  string `json:"device_name,omitempty"`
}

type refreshGrant struct {
	GrantType    string `json:"grant_type"`
	RefreshToken Secret `json:"refresh_token"`
}
