import { Card } from '@/components/app/card'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import {
  useDeletePersonMutation,
  useResetSecondFactorMutation,
  useSetPersonStateMutation,
  useSignOutPersonMutation,
} from '@/lib/api/person-api'
import type { AdminUser } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { lookup } from '@/lib/lookup'
import { spaced, titled } from '@/lib/words'
import { Fact } from '../facts'
import { RoleBadges } from '../users/role-badges'
import { useIsAdmin } from '../staff-role'
import { RolesDialog } from '../users/roles-dialog'
import { useStaffDraft } from '../use-staff-draft'
import { type Action, ActionDialog } from './action-dialog'
import styles from './person.module.css'
import { StateBadge } from './state-badge'

const reasons: Record<NonNullable<AdminUser['disabled_because']>, string> = {
  staff: 'By staff',
  inactive: 'At the sign-in service',
  gone: 'Unknown at the sign-in service',
}

/** Who somebody is and how they sign in, and what admins can do about that. */
export function AccountCard({ user }: { user: AdminUser }) {
  const isAdmin = useIsAdmin()
  return (
    <Card aria-labelledby="account-title">
      <h3 id="account-title" tabIndex={-1} className={styles.heading}>
        Account
      </h3>
      <div className={styles.part}>
        <dl className={styles.facts}>
          <Fact name="State">
            <StateBadge user={user} />
          </Fact>
          <Fact name="Roles">
            <RoleBadges roles={user.roles} />
          </Fact>
          {user.disabled_at && (
            <Fact name="Disabled">
              {formatDateTime(user.disabled_at)}
              {user.disabled_because &&
                ` · ${lookup(reasons, user.disabled_because) ?? spaced(user.disabled_because)}`}
            </Fact>
          )}
          <Fact name="Signs in with">{user.providers.map(titled).join(', ')}</Fact>
          {user.email_off_since && (
            <Fact name="Emails" wide>
              Do not arrive: the person switched them off at Apple on{' '}
              {formatDateTime(user.email_off_since)}
            </Fact>
          )}
          <Fact name="Last sign-in">{formatDateTime(user.last_sign_in_at, 'Never')}</Fact>
          <Fact name="Joined">{formatDateTime(user.created_at)}</Fact>
          <Fact name="Id" wide>
            {user.id}
          </Fact>
        </dl>
        {isAdmin && <AccountActions user={user} />}
      </div>
    </Card>
  )
}

function AccountActions({ user }: { user: AdminUser }) {
  const auth = useAuth()
  // The name of what is being done, or 'roles'.
  const [doing, setDoing] = useStaffDraft(`doing:${user.id}`)
  const { stateLabel, ...actions } = useAccountActions(user)
  const action = Object.entries(actions).find(([name]) => name === doing)?.[1]
  const own = auth.status === 'signed-in' && auth.user.id === user.id
  const gone = user.disabled_because === 'gone'
  return (
    <div className={styles.actions}>
      <Button
        variant="secondary"
        size="dense"
        data-event="change_roles"
        onClick={() => setDoing('roles')}
      >
        Change roles
      </Button>
      <Button
        variant="secondary"
        size="dense"
        data-event="sign_out_person"
        onClick={() => setDoing('signOut')}
      >
        Sign out everywhere
      </Button>
      {!own && user.roles.some((role) => role !== 'user') && (
        <Button
          variant="secondary"
          size="dense"
          data-event="reset_second_factor"
          onClick={() => setDoing('resetFactor')}
        >
          Reset second factor
        </Button>
      )}
      {/* Nobody locks themselves out; an identity that is gone cannot come back, and is erased by itself. */}
      {!own && !gone && (
        <Button
          variant="secondary"
          size="dense"
          data-event="set_person_state"
          onClick={() => setDoing(user.state === 'active' ? 'disable' : 'enable')}
        >
          {stateLabel}
        </Button>
      )}
      {!own && !gone && user.state !== 'deleting' && (
        <Button
          variant="ghost"
          size="dense"
          data-event="delete_person"
          onClick={() => setDoing('remove')}
        >
          Delete account
        </Button>
      )}
      {action && <ActionDialog action={action} subject={user.id} onClose={() => setDoing('')} />}
      {doing === 'roles' && <RolesDialog user={user} onClose={() => setDoing('')} />}
    </div>
  )
}

function useAccountActions(user: AdminUser) {
  const [setState] = useSetPersonStateMutation()
  const [signOut] = useSignOutPersonMutation()
  const [remove] = useDeletePersonMutation()
  const [resetFactor] = useResetSecondFactorMutation()
  const userId = user.id
  const deleting = user.state === 'deleting'
  return {
    stateLabel: user.state === 'active' ? 'Disable' : deleting ? 'Keep account' : 'Enable',
    signOut: {
      title: 'Sign out everywhere?',
      text: 'Every browser and Mac is signed out. The person can sign in again.',
      label: 'Sign out everywhere',
      done: 'Signed out everywhere',
      event: 'sign_out_person',
      run: (reason: string) => signOut({ userId, reason }).unwrap(),
    },
    resetFactor: {
      title: 'Reset the second factor?',
      text: 'The authenticator app and the recovery codes no longer work, and the person is signed out everywhere and gets an email. Make sure that it is them who asks.',
      label: 'Reset second factor',
      done: 'Second factor reset',
      event: 'reset_second_factor',
      run: (reason: string) => resetFactor({ userId, reason }).unwrap(),
    },
    disable: {
      title: 'Disable this account?',
      text: 'The person is signed out everywhere and cannot sign in. Their plan does not renew, unless you let it. You can enable the account again.',
      label: 'Disable',
      done: 'Account disabled',
      event: 'disable_person',
      run: (reason: string) => setState({ userId, state: 'disabled', reason }).unwrap(),
    },
    enable: {
      title: deleting ? 'Keep this account?' : 'Enable this account?',
      text: deleting
        ? 'Nothing is deleted, and the person can sign in again. They get an email that says so.'
        : 'The person can sign in again.',
      label: deleting ? 'Keep account' : 'Enable',
      done: deleting ? 'The account stays' : 'Account enabled',
      event: 'enable_person',
      run: (reason: string) => setState({ userId, state: 'active', reason }).unwrap(),
    },
    remove: {
      title: 'Delete this account?',
      text: 'The person is signed out, gets an email, and everything is erased when the time to take it back is over. Somebody who is not disabled takes it back by signing in.',
      label: 'Delete account',
      done: 'The account will be deleted',
      event: 'delete_person',
      run: (reason: string) => remove({ userId, reason }).unwrap(),
    },
  } satisfies Record<string, Action | string>
}
