import { LinkedTabs, type LinkedTab } from './linked-tabs'
import { UsersView } from './users/users-view'
import { WaitlistView } from './waitlist/waitlist-view'

const views: LinkedTab[] = [
  { value: 'users', label: 'All Users', View: UsersView },
  { value: 'waitlist', label: 'Waitlist', View: WaitlistView },
]

/** The people that the product knows, a tab for each kind of list. */
export function UserManagement() {
  return (
    <LinkedTabs
      param="view"
      label="Lists of people"
      tabs={views}
      within={['tab']}
      variant="subtle"
    />
  )
}
