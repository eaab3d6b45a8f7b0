import { LinkedTabs, type LinkedTab } from './linked-tabs'
import { WaitlistView } from './waitlist/waitlist-view'

const views: LinkedTab[] = [{ value: 'waitlist', label: 'Waitlist', View: WaitlistView }]

/** The people that the product knows, a tab for each kind of list once there are several. */
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
