/** Whom the staff's pages name: the address of a member of staff goes with the account. */
export const staffName = (email: string): string => email || 'Former staff'
