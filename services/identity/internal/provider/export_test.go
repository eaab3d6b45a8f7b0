package provider

// SignSecret is signSecret.
var SignSecret = signSecret

// RevokeAt has a revoker ask another server than Apple's.
func RevokeAt(r *Revoker, url string) { r.place.revocation = url }
