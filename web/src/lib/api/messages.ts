/** Spec section 8, 'Missing session on admin call'. */
export const NO_SESSION = 'No active session'
/** Spec section 8, 'Waitlist server error'. */
export const SOMETHING_WRONG = 'Something went wrong. Please try again.'
/** Spec section 8, 'Waitlist network failure'. */
export const NETWORK_ERROR = 'Network error. Please try again.'
