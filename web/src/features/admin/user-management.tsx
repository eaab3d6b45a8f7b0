import { LinkedTabs, type LinkedTab } from './linked-tabs'
import { searchOf } from './parameters'
import { PersonView } from './people/person-view'
import { useUrlParams } from './use-url-params'
import { UsersView } from './users/users-view'
import { WaitlistView } from './waitlist/waitlist-view'

const views: LinkedTab[] = [
  { value: 'users', label: 'All Users', View: UsersView },
  { value: 'waitlist', label: 'Waitlist', View: WaitlistView },
]

/** The people that the product knows, a tab for each kind of list; or the one of them that the address names. */
export function UserManagement() {
  const { params } = useUrlParams()
  const person = searchOf(params.get('person') ?? '').trim()
  if (person) return <PersonView key={person} person={person} />
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
