import { assigned, type SecretRule, token } from '../rule.ts';

const GROUP = 'payment';
const hasDigitAndLetter = (secret: string): boolean => /\d/.test(secret) && /[A-Za-z]/.test(secret);

export const PAYMENT_RULES: readonly SecretRule[] = [
  token(GROUP, {
    id: 'stripe-key',
    what: 'secret or restricted key of Stripe, live or test (also Clerk, Paystack), and the secret of a webhook',
    starts: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_', 'whsec_'],
    body: '[A-Za-z0-9+/=]{10,250}',
    glued: true,
    accepts: (secret) => !/^whsec_[a-z]+$/.test(secret),
    samples: ['sk_live_{an:24}', 'rk_test_{an:99}', 'whsec_{an:32}'],
    misses: ['sk_test_x', 'whsec_secret'],
  }),
  token(GROUP, {
    id: 'square-token',
    what: 'access token or OAuth secret of Square',
    starts: ['sq0atp-', 'sq0csp-', 'sq0idp-', 'EAAAE', 'EAAAl'],
    body: '[\\w-]{20,80}(?![\\w-])',
    accepts: hasDigitAndLetter,
    samples: ['sq0atp-{w:22}', 'sq0csp-{w:43}', 'EAAAE{w:59}'],
    misses: ['sq0atp-{w:5}'],
  }),
  token(GROUP, {
    id: 'braintree-token',
    what: 'access token of Braintree or PayPal',
    starts: ['access_token$production$', 'access_token$sandbox$'],
    body: '[0-9a-z]{16}\\$[0-9a-f]{32}',
    samples: ['access_token$production${lo:16}${hex:32}'],
    misses: ['access_token$production$x'],
  }),
  assigned(GROUP, {
    id: 'paypal-secret',
    what: 'secret of PayPal, by the name it is given',
    vendor: ['paypal'],
    value: 'E[\\w-]{60,90}',
    accepts: hasDigitAndLetter,
    samples: ['PAYPAL_CLIENT_SECRET=E{w:79}'],
    misses: ['paypal_mode = sandbox'],
  }),
  token(GROUP, {
    id: 'adyen-key',
    what: 'API key of Adyen',
    starts: ['AQE'],
    body: '[A-Za-z0-9+/]{60,250}(?:={1,2}|-)[A-Za-z0-9+/=<>(){}^~!?.,;:\\[\\]|#@$%&*_-]{0,120}',
    accepts: hasDigitAndLetter,
    samples: ['AQE{b64:90}=='],
    misses: ['AQE{b64:20}=='],
  }),
  token(GROUP, {
    id: 'plaid-token',
    what: 'access token of Plaid',
    starts: ['access-sandbox-', 'access-development-', 'access-production-'],
    body: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    samples: ['access-production-{uuid}'],
    misses: ['access-production-data'],
  }),
  token(GROUP, {
    id: 'flutterwave-key',
    what: 'secret key of Flutterwave',
    starts: ['FLWSECK-', 'FLWSECK_TEST-'],
    body: '[a-hA-H0-9]{12,40}(?:-X)?',
    samples: ['FLWSECK_TEST-{hex:32}-X'],
    misses: ['FLWSECK_TEST-x'],
  }),
  token(GROUP, {
    id: 'payment-token',
    what: 'key of Shippo, EasyPost, Mollie, Razorpay, Polar or Checkout.com',
    starts: ['shippo_live_', 'shippo_test_', 'EZAK', 'EZTK', 'rzp_live_', 'rzp_test_', 'polar_oat_', 'sk_sbox_'],
    body: '[A-Za-z0-9]{14,64}',
    // One in eleven keys of Razorpay has no digit.
    accepts: (secret) => /\d|[a-z][A-Z]/.test(secret),
    samples: ['shippo_live_{hex:40}', 'EZAK{an:54}', 'rzp_live_{an:14}'],
    misses: ['rzp_live_x'],
  }),
  assigned(GROUP, {
    id: 'payment-key',
    what: 'key of Mollie, Coinbase, Razorpay, GoCardless, Lob or Plaid, by the name it is given',
    vendor: ['mollie', 'coinbase', 'razorpay', 'gocardless', 'lob_api', 'plaid', 'adyen', 'wise_api'],
    value: '(?:live_|test_)?[\\w-]{24,64}',
    accepts: hasDigitAndLetter,
    minEntropy: 2.6,
    samples: ['MOLLIE_KEY=live_{an:30}', 'COINBASE_SECRET={w:64}', 'PLAID_SECRET={hex:30}'],
    misses: ['mollie_mode = test'],
  }),
];
