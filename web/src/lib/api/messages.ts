/** A call that needs a session, and there is none. */
export const NO_SESSION = 'No active session'
/** A refusal that has no words of its own. */
export const SOMETHING_WRONG = 'Something went wrong. Please try again.'
/** A call that did not reach the server. */
export const NETWORK_ERROR = 'Network error. Please try again.'
