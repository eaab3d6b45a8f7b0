package provider

// SignSecret is signSecret.
var SignSecret = signSecret
