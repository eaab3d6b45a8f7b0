import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { useAuth } from '@/features/session/use-auth'
import { useSetUserRolesMutation } from '@/lib/api/identity-api'
import { answerOf } from '@/lib/api/problem'
import type { AdminUser, Role } from '@/lib/api/types'
import { titled } from '@/lib/words'
import { Checkbox } from '../checkbox'
import { ActionDialog } from '../people/action-dialog'
import { useStaffForm } from '../use-staff-draft'
import { roles } from './user-filter'

const meanings: Record<Role, string> = {
  admin: 'Can see and change everything in these tools.',
  moderator: 'Can read tickets, users and the waitlist, and answer tickets.',
  user: 'Everyone with an account.',
}

/** The roles that are chosen, and those that the account had when the first of them was, each with blanks between. */
const none = { chosen: '', seen: '' }

interface RolesDialogProps {
  user: AdminUser
  onClose: () => void
}

/** The roles of one account, to be changed together. */
export function RolesDialog({ user, onClose }: RolesDialogProps) {
  const auth = useAuth()
  const [draft, setDraft] = useStaffForm(`roles:${user.id}`, none)
  const [change, { error }] = useSetUserRolesMutation()

  const held = draft.chosen ? draft.chosen.split(' ') : user.roles
  const chosen = roles.filter((role) => role === 'user' || held.includes(role))
  const unknown = user.roles.filter((role) => !roles.includes(role))
  const same = roles.every((role) => chosen.includes(role) === user.roles.includes(role))
  const own = auth.status === 'signed-in' && auth.user.id === user.id
  const resigning = own && user.roles.includes('admin') && !chosen.includes('admin')

  const set = (role: Role, on: boolean) =>
    setDraft({
      chosen: roles.filter((one) => (one === role ? on : chosen.includes(one))).join(' '),
      seen: draft.seen || user.roles.join(' '),
    })

  return (
    <ActionDialog
      action={{
        title: 'Change roles',
        text: <bdi dir="ltr">{user.email}</bdi>,
        label: 'Save roles',
        done: 'Roles changed',
        event: 'set_user_roles',
        run: async (reason) => {
          // What another admin changes meanwhile is not overwritten before one is told of it.
          const told = answerOf(error)?.code === 'roles_changed'
          const seenRoles = told ? user.roles : (draft.seen.split(' ') as Role[])
          const wanted = { userId: user.id, roles: [...chosen, ...unknown], seenRoles, reason }
          return (await change(wanted).unwrap()).message
        },
      }}
      subject={user.id}
      ready={!same}
      onClose={() => {
        setDraft(null)
        onClose()
      }}
    >
      {(running) => (
        <>
          <Flex as="fieldset" direction="column" gap="3" border="none" m={0} mt="4" p={0}>
            <legend className="visually-hidden">Roles</legend>
            {roles.map((role) => (
              <RoleChoice
                key={role}
                role={role}
                on={chosen.includes(role)}
                fixed={role === 'user'}
                waiting={running}
                onChange={(on) => set(role, on)}
              />
            ))}
          </Flex>
          <Box aria-live="polite" fontSize="sm" color="caution">
            {resigning && (
              <Text mt="4">
                This is your own account: without the admin role you lose access to these tools.
              </Text>
            )}
          </Box>
        </>
      )}
    </ActionDialog>
  )
}

interface RoleChoiceProps {
  role: Role
  on: boolean
  /** Everybody has it. */
  fixed: boolean
  /** A change is under way. */
  waiting: boolean
  onChange: (on: boolean) => void
}

function RoleChoice({ role, on, fixed, waiting, onChange }: RoleChoiceProps) {
  const id = useId()
  return (
    <Flex gap="3" align="flex-start">
      <Checkbox
        id={id}
        aria-describedby={`${id}-meaning`}
        checked={on}
        disabled={fixed}
        aria-disabled={waiting || undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <Box minW={0} overflowWrap="anywhere">
        <chakra.label htmlFor={id} display="block" fontWeight={600} lineHeight="1.75rem">
          {titled(role)}
        </chakra.label>
        <Text id={`${id}-meaning`} color="muted" fontSize="sm">
          {meanings[role]}
        </Text>
      </Box>
    </Flex>
  )
}
