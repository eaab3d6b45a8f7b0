package account

// SecondFactorChange is what a member of staff did to their own second factor.
type SecondFactorChange string

// The changes. Adding the app comes before creating the codes that stand in for it.
const (
	SecondFactorAdded    SecondFactorChange = "added"
	SecondFactorRemoved  SecondFactorChange = "removed"
	RecoveryCodesCreated SecondFactorChange = "recovery codes created"
)
