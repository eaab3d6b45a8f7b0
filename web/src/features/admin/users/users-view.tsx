import { useCallback, useEffect, useMemo, useRef } from 'react'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadMore } from '@/components/app/load-more'
import { PartBoundary } from '@/components/app/part-boundary'
import { toastError } from '@/components/app/toast'
import {
  isUnknownPerson,
  useGetPersonQuery,
  useGetUsersInfiniteQuery,
} from '@/lib/api/identity-api'
import { problemText } from '@/lib/api/problem'
import type { AdminUser } from '@/lib/api/types'
import { EmptyList } from '../empty-list'
import { ChoiceField, FilterBar, SearchField } from '../filter-bar'
import styles from '../list.module.css'
import { PagedTable } from '../paged-table'
import { useIsAdmin } from '../staff-role'
import { StillTrying } from '@/components/app/still-trying'
import { useListFilter } from '../use-list-filter'
import { useStaffDraft } from '../use-staff-draft'
import { RolesDialog } from './roles-dialog'
import { filterUsers, roles } from './user-filter'
import { UserRow } from './user-row'
import row from './user-row.module.css'

const facts = ['Email', 'Roles', 'Joined', 'Last sign-in'] as const
const titles = [...facts, 'Actions'] as const

/** All accounts: find them, and, as an admin, change their roles. */
export function UsersView() {
  const isAdmin = useIsAdmin()
  const filter = useListFilter('role', roles)
  const list = useGetUsersInfiniteQuery(filter.debounced, { refetchOnMountOrArgChange: true })
  const { data, error } = list
  const table = useRef<HTMLTableElement>(null)
  // Whose roles are being changed: after a sign-in in between, they still are.
  const [changing, change] = useStaffDraft('changing-roles')
  const drawUser = useCallback(
    (user: AdminUser) => (
      <UserRow user={user} onRoles={isAdmin ? ({ id }) => change(id) : undefined} />
    ),
    [isAdmin, change],
  )

  useEffect(() => {
    if (error) toastError(problemText(error, 'Failed to fetch users', 'Failed to load users'))
  }, [error])

  const { role, search } = filter.current
  const pages = useMemo(
    () => filterUsers(data?.pages.map((page) => page.data) ?? [], { role, search }),
    [data, role, search],
  )
  const listed = data?.pages.flatMap((page) => page.data).find(({ id }) => id === changing)
  // After a sign-in, the list no longer has the pages that were loaded later.
  const asked = useGetPersonQuery(changing, { skip: !changing || !data || listed !== undefined })
  const changed = changing ? (listed ?? asked.currentData) : undefined
  useEffect(() => {
    if (isUnknownPerson(asked.error)) change('')
  }, [asked.error, change])
  const waiting = list.isLoading || ((list.isFetching || filter.debouncing) && pages.length === 0)

  return (
    <div className={styles.list}>
      <FilterBar label="Users" refreshing={list.isFetching} onRefresh={() => void list.refetch()}>
        <SearchField
          label="Search users"
          placeholder="Search by email..."
          value={filter.search}
          onType={filter.type}
        />
        <ChoiceField
          label="Role"
          all="All roles"
          values={roles}
          value={filter.chosen}
          onChoose={filter.choose}
        />
      </FilterBar>
      <StillTrying waiting={waiting} />
      {pages.length > 0 || waiting ? (
        <PartBoundary resetKey={pages}>
          <PagedTable
            ref={table}
            caption="All Users"
            columns={(isAdmin ? row.columns : row.facts) ?? ''}
            titles={isAdmin ? titles : facts}
            unseen={['Actions']}
            pages={pages}
            loading={waiting}
          >
            {drawUser}
          </PagedTable>
        </PartBoundary>
      ) : error ? (
        <p className={styles.quiet}>The users could not be loaded.</p>
      ) : filter.filtered ? (
        <EmptyList onClear={filter.clear}>No users match your current filters.</EmptyList>
      ) : (
        <EmptyList>No users found. Click &quot;Refresh&quot; to load users.</EmptyList>
      )}
      <LoadMore retries list={list} listRef={table} />
      {asked.error !== undefined && !isUnknownPerson(asked.error) && (
        <LoadFailure
          error={asked.error}
          message="Failed to load whose roles you were changing"
          retrying={asked.isFetching}
          onRetry={() => void asked.refetch()}
        />
      )}
      {changed && (
        <PartBoundary resetKey={changing}>
          <RolesDialog key={changing} user={changed} onClose={() => change('')} />
        </PartBoundary>
      )}
    </div>
  )
}
