import type { components, operations } from './schema'

type Schemas = components['schemas']

/** The API's shapes under the names that the site uses; gateway/openapi.yaml defines them. */
export type ApiError = Schemas['Error']
export type Message = Schemas['Message']
export type Session = Schemas['Session']
export type User = Schemas['User']
export type Provider = Schemas['Provider']
export type SignInFlow = Schemas['SignInFlow']
export type SignInErrorCode = Schemas['SignInError']['code']
export type SignOutRequest = Schemas['SignOutRequest']
export type HandOffRequest = Schemas['HandOffRequest']
export type HandOffAnswer = Schemas['HandOffCode'] | Schemas['HandOffSession']
export type Device = Schemas['Device']
export type DeviceList = Schemas['DeviceList']
export type DeleteAccountAnswer = Schemas['DeleteAccountAnswer']
export type Role = Schemas['Role']
export type AdminUser = Schemas['AdminUser']
export type AdminUserPage = Schemas['AdminUserPage']
export type RolesChange = Schemas['SetUserRolesRequest']
export type RolesAnswer = Schemas['SetUserRolesAnswer']
export type WaitlistStatus = Schemas['WaitlistStatus']
export type WaitlistSource = NonNullable<Schemas['AddWaitlistUserRequest']['source']>
export type WaitlistUser = Schemas['WaitlistUser']
export type Invitation = Schemas['Invitation']
export type WaitlistUserPage = Schemas['WaitlistUserPage']
export type WaitlistAction = Schemas['ApproveWaitlistUserRequest']['action']
export type BulkApproveResult = Schemas['BulkApproveAnswer']['results'][number]
export type ImportReport = Schemas['ImportReport']
export type Release = Schemas['Release']
export type ReleaseList = Schemas['ReleaseList']
export type DownloadStats = Schemas['DownloadStats']
export type DownloadInfo = Schemas['DownloadInfo']
export type LatestDownloads = Schemas['LatestDownloads']
export type Plan = Schemas['Plan']
export type PlanList = Schemas['PlanList']
export type Subscription = Schemas['Subscription']
export type SubscriptionAnswer = Schemas['SubscriptionAnswer']
export type CheckoutRequest = Schemas['CreateCheckoutSessionRequest']
export type CheckoutSession = Schemas['CheckoutSession']
export type PortalRequest = Schemas['CreatePortalSessionRequest']
/** Where the portal is, or why there is none. */
export type PortalAnswer = Partial<Schemas['PortalLink'] & Schemas['Message']>
export type CreditBalance = Schemas['CreditBalance']
export type CreditBalanceAnswer = Schemas['CreditBalanceAnswer']
export type Credits = Schemas['Credits']
export type TokenBalanceAnswer = Schemas['TokenBalanceAnswer']
export type CreditEntry = Schemas['CreditEntry']
export type CreditHistory = Schemas['CreditHistory']
export type TicketStatus = Schemas['TicketStatus']
export type TicketPriority = Schemas['TicketPriority']
export type TicketCategory = Schemas['TicketCategory']
export type Ticket = Schemas['SupportTicket']
export type TicketPage = Schemas['SupportTicketPage']
export type TicketDetail = Schemas['SupportTicketDetail']
export type TicketChange = Schemas['TicketChange']
export type StaffTicketMessage = Schemas['StaffViewMessage']
export type MyTicket = Schemas['MySupportTicket']
export type MyTicketPage = Schemas['MySupportTicketPage']
export type StaffTicketStatus = Schemas['StaffTicketStatus']
export type TicketUpdate = Schemas['UpdateSupportTicketRequest']
export type BulkTicketUpdate = Schemas['BulkUpdateSupportTicketsRequest']
export type BulkTicketResult = Schemas['BulkUpdateSupportTicketsAnswer']['results'][number]
export type NewTicket = Pick<
  Schemas['CreateSupportTicketRequest'],
  'category' | 'message' | 'subject' | 'idempotencyKey'
>
export type TicketReply = Schemas['ReplySupportTicketRequest']
export type AdminStats = Schemas['AdminStats']
export type AuditEntry = Schemas['AuditEntry']
export type AuditPage = Schemas['AuditPage']
export type AuditAction = Exclude<
  NonNullable<operations['getAuditLog']['parameters']['query']>['action'],
  '' | 'all' | undefined
>
