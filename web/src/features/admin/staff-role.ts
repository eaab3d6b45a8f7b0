import { createContext, useContext } from 'react'
import type { StaffRole } from '@/lib/api/staff-role-api'

const Context = createContext<StaffRole>('moderator')

/** Says to the views of the dashboard as what their reader is here. */
export const StaffRoleProvider = Context.Provider

/** Whether the reader is an admin: the API refuses a moderator everything but reading and answering tickets. */
export const useIsAdmin = () => useContext(Context) === 'admin'
